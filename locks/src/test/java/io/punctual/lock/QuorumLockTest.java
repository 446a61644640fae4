package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.StoreUnavailableException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.hold.Hold;
import io.punctual.lock.internal.hold.Watchdog;
import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class QuorumLockTest {
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");

  /** The longest lease; servers take part only after an uptime of this length. */
  private static final Duration LONGEST = Duration.ofSeconds(4);

  /** Less than the hundred milliseconds after which a server counts as silent. */
  private static final Duration SOON = Duration.ofMillis(90);

  /** The servers of all tests, because new servers would first have to reach their uptime. */
  private static List<RedisProcess> servers;

  private List<RedisLocks> clients;
  private QuorumLocks locks;

  @BeforeAll
  static void start() {
    servers = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
  }

  @BeforeEach
  void open() {
    servers.stream().filter(server -> !server.isRunning()).forEach(RedisProcess::restart);
    servers.forEach(server -> server.ask("FLUSHALL"));
    clients = connect(builder -> builder);
    locks = QuorumLocks.of(clients, LONGEST);
  }

  private static List<RedisLocks> connect(UnaryOperator<RedisLocksBuilder> more) {
    return servers.stream()
        .map(
            server ->
                more.apply(RedisLocks.builder().url(server.url()))
                    .resources(LockTestServer.THREADS)
                    .open())
        .toList();
  }

  @AfterEach
  void close() {
    clients.forEach(RedisLocks::close);
  }

  @AfterAll
  static void stop() {
    servers.forEach(RedisProcess::close);
  }

  @Test
  void acquire_byClonesWithTheSameIds_hasOneHolder() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    List<RedisLocks> mine = connect(builder -> builder.random(new Random(7)));
    List<RedisLocks> theirs = connect(builder -> builder.random(new Random(7)));
    LockHandle held = QuorumLocks.of(mine, LONGEST).lock("a").withLease(LONGEST).acquire();
    DistributedLock cloned = QuorumLocks.of(theirs, LONGEST).lock("a").withLease(LONGEST);

    assertThat(cloned.tryAcquire()).as("at once").isEmpty();
    assertThat(cloned.tryAcquire(Duration.ofMillis(100))).as("after a wait").isEmpty();

    assertThat(held.release()).as("not removed by the clone").isEqualTo(ReleaseOutcome.RELEASED);
    LockHandle next = cloned.tryAcquire(LockTestServer.WAIT).orElseThrow();
    assertThat(next.id()).isNotEqualTo(held.id());
    next.close();
  }

  /** A timer that runs the tasks of a millisecond at once, before any server can reply. */
  private record HastyTimer(WheelTimer timer) implements DueTimer {
    @Override
    public long nanoTime() {
      return timer.nanoTime();
    }

    @Override
    public io.punctual.timer.Timeout schedule(long delayNanos, Runnable task) {
      if (delayNanos <= TimeUnit.MILLISECONDS.toNanos(1)) {
        task.run();
        return () -> false;
      }
      return timer.schedule(delayNanos, task);
    }
  }

  @Test
  void waitThatIsShorterThanTheReplies_stillGetsAFreeLock() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    WheelTimer timer = WheelTimer.create();
    List<RedisLocks> hasty = connect(builder -> builder.timer(new HastyTimer(timer)));
    try {
      DistributedLock lock = QuorumLocks.of(hasty, LONGEST).lock("a");
      LockHandle held = lock.tryAcquire(Duration.ofMillis(1)).orElseThrow();
      assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    } finally {
      hasty.forEach(RedisLocks::close);
      timer.close();
    }
  }

  @Test
  void servers_thatWereJustStarted_stayOut() {
    servers.forEach(RedisProcess::kill);
    servers.forEach(RedisProcess::restart);
    assertThatThrownBy(() -> locks.lock("a").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("3 were started");
    QuorumProbe.awaitVoters(locks);
    LockHandle handle = locks.lock("a").tryAcquire().orElseThrow();

    servers.get(0).kill();
    servers.get(0).restart();
    servers.get(1).kill();
    servers.get(1).restart();

    // Two of the three servers have lost the lock and would grant it again, but servers have no
    // vote shortly after a start.
    assertThatThrownBy(() -> locks.lock("a").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class);
    handle.close();
  }

  @Test
  void minority_thatIsGone_isNotMissed() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    ManualClock clock = new ManualClock();
    List<RedisLocks> timed = connect(builder -> LockTestServer.stopped(builder, clock));
    LockHandle before = QuorumLocks.of(timed, LONGEST).lock("a").acquire();
    servers.get(2).kill();

    LockTestServer.outlast(LONGEST, clock, before);
    assertThat(before.isHeld()).as("renewed by the others").isTrue();
    assertThat(locks.lock("a").tryAcquire()).isEmpty();
    before.close();
    timed.forEach(RedisLocks::close);
    LockHandle after = locks.lock("a").acquire();
    assertThat(after.isHeld()).isTrue();
    after.close();
  }

  @Test
  void majority_thatIsGone_isALoss() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    AtomicInteger lost = new AtomicInteger();
    LockHandle handle = locks.lock("a").acquire();
    handle.onLost(it -> lost.incrementAndGet());
    servers.get(1).kill();
    servers.get(2).kill();

    await().untilAsserted(() -> assertThat(lost).hasValue(1));
    assertThat(handle.isHeld()).isFalse();
    // On a busy machine, the third server may be too slow for some attempts.
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofMillis(100)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("2 did not answer"));
  }

  @Test
  void handle_givenBackTheMomentItIsThere_isForgotten() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    AtomicReference<LockHandle> got = new AtomicReference<>();
    PendingAcquisition asked = ((AbstractLock) locks.lock("a")).ask(0);
    asked
        .result()
        .thenAccept(
            handle -> {
              handle.orElseThrow().releaseAsync();
              got.set(handle.orElseThrow());
            })
        .get(60, TimeUnit.SECONDS);

    assertThat(got.get().release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(clients.get(0).session().watchdog().holds()).isEmpty();
    assertThat(clients.get(0).counters().holding()).isZero();
  }

  @Test
  void wait_forServersThatAreFrozen_endsInTime() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    servers.get(1).freeze();
    servers.get(2).freeze();
    try {
      List<Duration> took = new ArrayList<>();
      // One attempt that the machine does not delay is enough.
      for (int i = 0; i < 50 && (i == 0 || Collections.min(took).compareTo(SOON) >= 0); i++) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofMillis(5)))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("did not answer");
        took.add(Duration.ofNanos(System.nanoTime() - start));
      }
      assertThat(Collections.min(took)).as("the servers' time-out is 100 ms").isLessThan(SOON);
    } finally {
      servers.get(1).thaw();
      servers.get(2).thaw();
    }
  }

  @Test
  void attempt_withoutAMajority_leavesNothingOnAnyServer() {
    QuorumProbe.awaitVoters(servers, LONGEST);
    servers.get(1).freeze();
    servers.get(2).freeze();
    try {
      assertThatThrownBy(() -> locks.lock("a").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class);
      assertIsFree(clients.get(0), "a");
    } finally {
      servers.get(1).thaw();
      servers.get(2).thaw();
    }
    // After the thaw, these servers run the request for the lock first, and then its release.
    clients.forEach(client -> assertIsFree(client, "a"));
  }

  @Test
  void acquisition_serversHaveForgottenTheScripts_succeeds() throws InterruptedException {
    QuorumProbe.awaitVoters(servers, LONGEST);
    for (int forgetful = 1; forgetful <= servers.size(); forgetful++) {
      servers.subList(0, forgetful).forEach(server -> server.ask("SCRIPT", "FLUSH"));
      LockHandle handle = locks.lock("a").tryAcquire().orElseThrow();
      assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
      servers.subList(0, forgetful).forEach(server -> server.ask("SCRIPT", "FLUSH"));
      try (LockHandle extended = locks.lock("a").acquire()) {
        servers.subList(0, forgetful).forEach(server -> server.ask("SCRIPT", "FLUSH"));
        assertThat(extended.extend(LONGEST)).isTrue();
      }
    }
  }

  /**
   * A server that has forgotten the script of an acquisition, but not of the release, runs the
   * acquisition first.
   */
  @Test
  void acquisition_serverHasForgottenTheScript_isNotRunAfterTheRelease() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    RedisProcess forgetful = servers.get(2);
    LockHandle other = locks.lock("b").withLease(LONGEST).acquire();
    await().until(() -> clients.get(2).find(LockKind.QUORUM, "b").isPresent());
    forgetful.ask("SCRIPT", "FLUSH");
    other.close();
    await().until(() -> clients.get(2).find(LockKind.QUORUM, "b").isEmpty());
    forgetful.freeze();
    CompletableFuture<ReleaseOutcome> released;
    try {
      released = ((Hold) locks.lock("a").withLease(LONGEST).acquire()).giveBack();
    } finally {
      forgetful.thaw();
    }

    assertThat(released.get(60, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
    // If the client repeated a script, it would do so before it processes the reply to the first of
    // these requests. The second request would then find the lock.
    assertIsFree(clients.get(2), "a");
    assertIsFree(clients.get(2), "a");
  }

  /**
   * Asserts that a server does not know the lock. The request uses the connection of all earlier
   * requests, so it is answered after them.
   */
  private static void assertIsFree(RedisLocks client, String name) {
    assertThat(client.find(LockKind.QUORUM, name)).isEmpty();
  }

  @Test
  void renewal_thatMeetsTheRelease_bringsNothingBack() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    Watchdog watchdog = clients.get(0).session().watchdog();
    for (int i = 0; i < (THOROUGH ? 100 : 20); i++) {
      Hold hold = (Hold) locks.lock("a").acquire();
      Thread renewing = new Thread(() -> watchdog.renew(hold));
      renewing.start();
      CompletableFuture<ReleaseOutcome> released = hold.giveBack();
      renewing.join();
      assertThat(released.get(60, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
    }
    for (RedisLocks client : clients) {
      assertIsFree(client, "a");
    }
  }

  @Test
  void release_thatAServerDoesNotHear_isTriedAgain() throws Exception {
    QuorumProbe.awaitVoters(servers, LONGEST);
    boolean beforeTheLeaseEnds = false;
    // One round that the machine does not delay is enough.
    for (int i = 0; i < 5 && !beforeTheLeaseEnds; i++) {
      beforeTheLeaseEnds = releaseUnheard().compareTo(LONGEST) < 0;
    }
    assertThat(beforeTheLeaseEnds).isTrue();
  }

  /**
   * Releases a lock while the first server hears nothing. Returns the time from the acquisition
   * until this server has the lock no more. The lease is not renewed.
   */
  private Duration releaseUnheard() throws InterruptedException {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", servers.get(0).port());
        RedisLocks behind =
            RedisLocks.builder()
                .url("redis://127.0.0.1:" + proxy.port())
                .resources(LockTestServer.THREADS)
                .commandTimeout(Duration.ofMillis(200))
                .durabilityTimeout(Duration.ofMillis(100))
                .open()) {
      List<RedisLocks> some = List.of(clients.get(1), behind, clients.get(2));
      LockHandle handle = QuorumLocks.of(some, LONGEST).lock("a").withLease(LONGEST).acquire();
      long start = System.nanoTime();
      await().until(() -> isOver(start) || isOnTheFirst());
      proxy.swallow(Direction.TO_SERVER);

      assertThat(handle.release())
          .as("by the other two")
          .isIn(ReleaseOutcome.RELEASED, isOver(start) ? ReleaseOutcome.LOST : null);
      await().until(() -> proxy.swallowedBytes(Direction.TO_SERVER) > 0);
      proxy.heal();

      await().pollInterval(Duration.ofMillis(10)).until(() -> !isOnTheFirst());
      return Duration.ofNanos(System.nanoTime() - start);
    }
  }

  private boolean isOnTheFirst() {
    return clients.get(0).find(LockKind.QUORUM, "a").isPresent();
  }

  private static boolean isOver(long start) {
    return System.nanoTime() - start > LONGEST.toNanos();
  }

  @Test
  void wrongUse_isRefused() {
    assertThatThrownBy(() -> QuorumLocks.of(clients.subList(0, 2), LONGEST))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locks.lock("a").withLease(LONGEST.plusMillis(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locks.lock("a").withReplicas(1))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
