package io.punctual.redis.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.StoreUnavailableException;
import io.punctual.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quorum locks when servers fail. */
@Timeout(60)
final class QuorumLockTest {
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private List<RedisProcess> servers;
  private List<RedisLocks> clients;
  private QuorumLocks locks;

  @BeforeEach
  void start() {
    servers = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    clients =
        servers.stream()
            .map(
                server ->
                    RedisLocks.builder()
                        .url(server.url())
                        .resources(LockTestServer.THREADS)
                        .commandTimeout(Duration.ofSeconds(2))
                        .open())
            .toList();
    locks = QuorumLocks.of(clients, LONGEST);
  }

  @AfterEach
  void stop() {
    clients.forEach(RedisLocks::close);
    servers.forEach(RedisProcess::close);
  }

  @Test
  void servers_thatWereJustStarted_stayOut() {
    assertThatThrownBy(() -> locks.lock("a").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("3 were started");
    QuorumProbe.awaitVoters(locks);
    LockHandle handle = locks.lock("a").tryAcquire().orElseThrow();

    servers.get(0).kill();
    servers.get(0).restart();
    servers.get(1).kill();
    servers.get(1).restart();

    // Two of three are empty, and would give it away; they have no vote yet.
    assertThatThrownBy(() -> locks.lock("a").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class);
    handle.close();
  }

  @Test
  void minority_thatIsGone_isNotMissed() throws InterruptedException {
    QuorumProbe.awaitVoters(locks);
    LockHandle before = locks.lock("a").acquire();
    servers.get(2).kill();

    await().pollDelay(LONGEST.plusMillis(500)).until(() -> true);
    assertThat(before.isHeld()).as("renewed by the others").isTrue();
    assertThat(locks.lock("a").tryAcquire()).isEmpty();
    before.close();
    LockHandle after = locks.lock("a").acquire();
    assertThat(after.isHeld()).isTrue();
    after.close();
  }

  @Test
  void majority_thatIsGone_isALoss() throws InterruptedException {
    QuorumProbe.awaitVoters(locks);
    AtomicInteger lost = new AtomicInteger();
    LockHandle handle = locks.lock("a").acquire();
    handle.onLost(it -> lost.incrementAndGet());
    servers.get(1).kill();
    servers.get(2).kill();

    await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(lost).hasValue(1));
    assertThat(handle.isHeld()).isFalse();
    assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofMillis(100)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("2 did not answer");
  }

  @Test
  void handle_givenBackTheMomentItIsThere_isForgotten() throws Exception {
    QuorumProbe.awaitVoters(locks);
    AtomicReference<LockHandle> got = new AtomicReference<>();
    Pending asked = ((AskedLock) locks.lock("a")).ask(0);
    asked
        .result()
        .thenAccept(
            handle -> {
              handle.orElseThrow().releaseAsync();
              got.set(handle.orElseThrow());
            })
        .get(10, TimeUnit.SECONDS);

    assertThat(got.get().release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(clients.get(0).client().watchdog().holds()).isEmpty();
    assertThat(clients.get(0).counters().holding()).isZero();
  }

  @Test
  void wait_forServersThatAreFrozen_endsInTime() throws InterruptedException {
    QuorumProbe.awaitVoters(locks);
    servers.get(1).freeze();
    servers.get(2).freeze();
    try {
      Duration shortest = Duration.ofDays(1);
      for (int i = 0; i < 5; i++) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofMillis(5)))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("did not answer");
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        shortest = took.compareTo(shortest) < 0 ? took : shortest;
      }
      assertThat(shortest).as("the servers' time-out is 100 ms").isLessThan(Duration.ofMillis(90));
    } finally {
      servers.get(1).thaw();
      servers.get(2).thaw();
    }
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
