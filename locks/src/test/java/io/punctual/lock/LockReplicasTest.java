package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests locks with replicas that confirm late, or not at all. */
final class LockReplicasTest extends LockTestServer {
  private static RedisProcess replica;
  private RedisLocks locks;

  @BeforeAll
  static void startReplica() {
    replica = RedisProcess.builder().replicaOf(redis).start();
    await()
        .atMost(WAIT)
        .until(() -> String.valueOf(replica.ask("INFO", "replication")).contains("status:up"));
  }

  @BeforeEach
  void openLocks() throws InterruptedException {
    locks =
        open(
            builder()
                .commandTimeout(Duration.ofSeconds(10))
                .durabilityTimeout(Duration.ofSeconds(9)));
    // A replica's first confirmation can take a second, so a lock with a long lease waits for it.
    locks.mutex("warm").withLease(LONG).withReplicas(1).acquire().close();
  }

  @AfterAll
  static void stopReplica() {
    replica.close();
  }

  private String key() {
    return LockKeys.tag("punctual", locks.session().client().keys(LockKind.MUTEX, "a").bucket())
        + "mutex:a";
  }

  @Test
  void acquisition_confirmedAfterItsLease_isUndone() {
    replica.freeze();
    CompletableFuture<LockHandle> asked =
        future(locks.mutex("a").withLease(Duration.ofMillis(200)).withReplicas(1).acquireAsync());
    await().pollDelay(Duration.ofMillis(250)).until(() -> redis.ask("GET", key()) == null);
    replica.thaw();

    assertThat(asked)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(NotConfirmedException.class)
        .withMessageContaining("lease ended");
  }

  @Test
  void renewal_thatNoReplicaConfirms_doesNotCount() throws InterruptedException {
    ManualClock clock = new ManualClock();
    RedisLocks timed = open(clock);
    LockHandle plain = timed.mutex("b").acquire();
    LockHandle copied = timed.mutex("a").withReplicas(1).acquire();
    outlastALease(clock, copied, plain);
    assertThat(copied.isHeld()).as("for longer than its lease").isTrue();

    replica.freeze();

    outlastALease(clock, plain);
    advanceUntil(clock, () -> !copied.isHeld());
    assertThat(plain.isHeld()).isTrue();
    replica.thaw();
    assertThat(copied.release()).isEqualTo(ReleaseOutcome.LOST);
    plain.close();
  }

  @Test
  void mutex_whoseAnswerIsLostWhileTheReplicaIsSilent_isNotConfirmed() {
    assertNotConfirmedAfterALostAnswer(client -> client.mutex("a"));
  }

  @Test
  void writeLock_whoseAnswerIsLostWhileTheReplicaIsSilent_isNotConfirmed() {
    assertNotConfirmedAfterALostAnswer(client -> client.readWrite("a").write());
  }

  /**
   * Asserts that a lock is not confirmed after a lost reply, while the replica is silent. The
   * client repeats the request and finds the lock held, but this does not prove that the replica
   * has the lock.
   */
  private void assertNotConfirmedAfterALostAnswer(Function<RedisLocks, DistributedLock> lock) {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks behind =
          open(
              behind(proxy)
                  .commandTimeout(Duration.ofMillis(800))
                  .durabilityTimeout(Duration.ofMillis(400)));
      await()
          .ignoreExceptionsInstanceOf(NotConfirmedException.class)
          .until(
              () -> {
                behind.mutex("warm").withReplicas(1).tryAcquire().orElseThrow().close();
                return true;
              });
      awaitReplicaInStep();
      replica.freeze();
      long before = proxy.swallowedBytes(Direction.TO_CLIENT);
      proxy.swallow(Direction.TO_CLIENT);
      var asked = future(lock.apply(behind).withReplicas(1).acquireAsync());
      await().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > before);
      proxy.heal();

      assertNotConfirmed(asked);
    } finally {
      replica.thaw();
    }
  }

  @Test
  void waiter_thatFindsItselfGrantedWhileTheReplicaIsSilent_isNotConfirmed() throws Exception {
    // Without the right to its channel, the waiter learns of its grant only by its next request.
    redis.ask("ACL", "SETUSER", "deaf", "on", ">deaf", "~*", "+@all", "resetchannels");
    RedisLocks deaf =
        open(
            RedisLocks.builder()
                .url(redis.url().replace("redis://", "redis://deaf:deaf@"))
                .durabilityTimeout(Duration.ofMillis(400)));
    LockHandle held = locks.mutex("a").acquire();
    var waiting = future(deaf.mutex("a").withReplicas(1).acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    awaitReplicaInStep();
    replica.freeze();
    try {
      held.close();

      assertNotConfirmed(waiting);
    } finally {
      replica.thaw();
    }
  }

  /** Waits until the replica has acknowledged all writes of the primary. */
  private static void awaitReplicaInStep() {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              String info = String.valueOf(redis.ask("INFO", "replication"));
              return info.contains(",offset=" + field(info, "master_repl_offset:") + ",");
            });
  }

  private static String field(String info, String name) {
    int from = info.indexOf(name) + name.length();
    return info.substring(from, info.indexOf('\r', from));
  }

  private static void assertNotConfirmed(CompletableFuture<LockHandle> asked) {
    assertThat(asked)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(NotConfirmedException.class)
        .withMessageContaining("0 of 1 replicas");
  }

  @Test
  void severalDurabilitiesNoReplica_timeoutBarelyLonger_noConnectionEnds() {
    try (RedisProcess alone = RedisProcess.start();
        RedisLocks locks =
            RedisLocks.builder()
                .url(alone.url() + "?timeout=500ms&durabilityTimeout=450ms")
                .open()) {
      // One round without a lost connection is enough. A slow machine can also lose a connection,
      // whereas the bug that this test detects lost a connection in every round.
      await()
          .atMost(WAIT)
          .pollDelay(Duration.ZERO)
          .untilAsserted(
              () -> {
                int before = connections(alone);
                assertEachNotConfirmed(locks);
                assertThat(connections(alone)).isEqualTo(before + 1);
              });
    }
  }

  private static void assertEachNotConfirmed(RedisLocks locks) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int replicas = 1; replicas <= 3; replicas++) {
      asked.add(
          locks.mutex("m" + replicas).withReplicas(replicas).acquireAsync().toCompletableFuture());
    }
    for (CompletableFuture<?> each : asked) {
      assertThat(each)
          .failsWithin(WAIT)
          .withThrowableThat()
          .withCauseInstanceOf(NotConfirmedException.class)
          .withMessageContaining("replicas confirmed");
    }
  }

  private static int connections(RedisProcess redis) {
    Matcher made =
        Pattern.compile("total_connections_received:(\\d+)")
            .matcher(String.valueOf(redis.ask("INFO", "stats")));
    assertThat(made.find()).isTrue();
    return Integer.parseInt(made.group(1));
  }
}
