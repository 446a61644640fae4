package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.protocol.LockKeys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests what happens between the grant of a lock and its confirmation by a replica: the replica is
 * frozen, connections break, and the server is replaced.
 */
final class LockConfirmationTest extends LockTestServer {
  /** The replica confirms within this time, or does not confirm before the test thaws it. */
  private static final Duration PATIENT = Duration.ofMinutes(4);

  private static RedisProcess replica;
  private RedisLocks locks;
  private RedisLocks others;

  @BeforeAll
  static void startReplica() {
    replica = replicaOf(redis);
  }

  private static RedisProcess replicaOf(RedisProcess primary) {
    RedisProcess started = RedisProcess.builder().replicaOf(primary).start();
    await()
        .atMost(WAIT)
        .until(() -> String.valueOf(started.ask("INFO", "replication")).contains("status:up"));
    return started;
  }

  @AfterAll
  static void stopReplica() {
    replica.close();
  }

  @BeforeEach
  void openLocks() {
    locks = open(builder().commandTimeout(PATIENT).durabilityTimeout(PATIENT));
    others = open();
  }

  @AfterEach
  void thaw() {
    replica.thaw();
  }

  static Stream<Named<Function<RedisLocks, DistributedLock>>> kinds() {
    return Stream.of(
        Named.of("mutex", client -> client.mutex("a")),
        Named.of("fair", client -> client.fair("a")),
        Named.of("write", client -> client.readWrite("a").write()),
        Named.of("semaphore", client -> client.semaphore("a", 1)));
  }

  private static boolean isTaken(RedisLocks by) {
    return Stream.of(LockKind.MUTEX, LockKind.READ_WRITE, LockKind.SEMAPHORE)
        .anyMatch(kind -> by.find(kind, "a").isPresent());
  }

  private static void awaitTaken(RedisLocks by) {
    await().atMost(WAIT).until(() -> isTaken(by));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void calls_whileAFrozenReplicaIsAwaited_doNotWaitForIt(Function<RedisLocks, DistributedLock> kind)
      throws Exception {
    LockHandle released = locks.mutex("b").withReplicas(1).acquire();
    LockHandle extended = locks.mutex("c").withLease(LEASE).withReplicas(1).acquire();
    LockHandle plain = locks.mutex("d").acquire();
    replica.freeze();
    CompletableFuture<LockHandle> asked = future(kind.apply(locks).withReplicas(1).acquireAsync());
    awaitTaken(others);

    assertThat(future(released.releaseAsync())).succeedsWithin(WAIT);
    assertThat(future(kind.apply(locks).withReplicas(1).tryAcquireAsync(Duration.ZERO)))
        .succeedsWithin(WAIT)
        .satisfies(none -> assertThat(none).isEmpty());
    CompletableFuture<Boolean> extension = future(extended.extendAsync(LONG));
    await().atMost(WAIT).until(() -> remaining("c").compareTo(LEASE.multipliedBy(2)) > 0);
    assertThat(future(plain.releaseAsync())).succeedsWithin(WAIT);
    assertThat(List.of(asked, extension)).noneMatch(CompletableFuture::isDone);

    replica.thaw();
    assertThat(extension).succeedsWithin(WAIT).isEqualTo(true);
    assertThat(get(asked).release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  /** A replica that takes over may have the lock, but not its latest renewal. */
  @Test
  void renewalThatTheServerLost_isMadeUpForBeforeItCounts() throws Exception {
    LockHandle held = locks.mutex("c").withLease(LEASE).withReplicas(1).acquire();
    replica.freeze();
    CompletableFuture<LockHandle> before = future(locks.mutex("b").withReplicas(1).acquireAsync());
    await().atMost(WAIT).until(() -> others.find(LockKind.MUTEX, "b").isPresent());
    CompletableFuture<Boolean> extension = future(held.extendAsync(LONG));
    await().atMost(WAIT).until(() -> remaining("c").compareTo(LEASE.multipliedBy(2)) > 0);
    int bucket = locks.session().client().keys(LockKind.MUTEX, "c").bucket();
    String key = LockKeys.tag("punctual", bucket) + "mutex:c";
    assertThat(redis.ask("PEXPIRE", key, Long.toString(LEASE.toMillis()))).isEqualTo(1L);

    replica.thaw();

    assertThat(extension).succeedsWithin(WAIT).isEqualTo(true);
    assertThat(remaining("c")).isGreaterThan(LEASE.multipliedBy(2));
    held.close();
    get(before).close();
  }

  private Duration remaining(String name) {
    return others.find(LockKind.MUTEX, name).orElseThrow().holders().get(0).remaining();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void confirmation_whoseConnectionBreaks_isAskedForAgain(
      Function<RedisLocks, DistributedLock> kind) throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks behind = open(behind(proxy).commandTimeout(PATIENT).durabilityTimeout(PATIENT));
      replica.freeze();
      var asked = future(kind.apply(behind).withReplicas(1).acquireAsync());
      awaitTaken(others);

      proxy.cut();
      replica.thaw();

      LockHandle held = get(asked);
      assertThat(held.isHeld()).isTrue();
      assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void confirmation_lostForGood_lockIsNotGrantedAndIsReleased(
      Function<RedisLocks, DistributedLock> kind) {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks behind =
          open(behind(proxy).commandTimeout(PATIENT).durabilityTimeout(Duration.ofMillis(300)));
      replica.freeze();
      var asked = future(kind.apply(behind).withLease(LONG).withReplicas(1).acquireAsync());
      awaitTaken(others);

      proxy.refuse();
      proxy.cut();

      assertNotConfirmed(asked, "");
      proxy.heal();
      await().atMost(WAIT).until(() -> !isTaken(others));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void serverReplacedBeforeTheConfirmation_lockIsNotGranted(
      Function<RedisLocks, DistributedLock> kind) throws Exception {
    try (RedisProcess first = RedisProcess.start();
        RedisProcess copy = replicaOf(first)) {
      RedisLocks behind =
          open(
              RedisLocks.builder()
                  .url(first.url())
                  .commandTimeout(PATIENT)
                  .durabilityTimeout(PATIENT));
      copy.freeze();
      var asked = future(kind.apply(behind).withReplicas(1).acquireAsync());
      awaitTaken(behind);
      int port = first.port();
      first.kill();
      try (RedisProcess second = RedisProcess.builder().port(port).start()) {
        assertNotConfirmed(asked, "does not have it any more");

        LockHandle next = kind.apply(open(RedisLocks.builder().url(second.url()))).acquire();
        assertThat(next.isHeld()).isTrue();
        next.close();
      }
    }
  }

  /**
   * The witness of a grant is no confirmation of a lock that the server has given to a different
   * handle.
   */
  @Test
  void lockTakenAwayBeforeTheConfirmation_isNotGranted() throws Exception {
    replica.freeze();
    CompletableFuture<LockHandle> before = future(locks.mutex("b").withReplicas(1).acquireAsync());
    await().atMost(WAIT).until(() -> others.find(LockKind.MUTEX, "b").isPresent());
    CompletableFuture<LockHandle> asked = future(locks.mutex("a").withReplicas(1).acquireAsync());
    awaitTaken(others);

    assertThat(others.forceRelease(LockKind.MUTEX, "a")).isPositive();
    LockHandle next = others.mutex("a").acquire();
    replica.thaw();

    assertNotConfirmed(asked, "does not have it any more");
    assertThat(next.isHeld()).isTrue();
    assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    get(before).close();
  }

  private static void assertNotConfirmed(CompletableFuture<LockHandle> asked, String why) {
    assertThat(asked)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(NotConfirmedException.class)
        .withMessageContaining(why);
  }
}
