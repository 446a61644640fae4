package io.punctual.redis.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks whose replicas confirm late, or not at all. */
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
            RedisLocks.builder()
                .url(redis.url())
                .lease(Duration.ofMillis(1_500))
                .commandTimeout(Duration.ofSeconds(10))
                .durabilityTimeout(Duration.ofSeconds(9)));
    // A replica's first confirmation can take a second.
    locks.mutex("warm").withLease(Duration.ofSeconds(20)).withReplicas(1).acquire().close();
  }

  @AfterAll
  static void stopReplica() {
    replica.close();
  }

  private String key() {
    return Place.tag("punctual", locks.client().place(LockKind.MUTEX, "a").bucket()) + "mutex:a";
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
    LockHandle plain = locks.mutex("b").acquire();
    LockHandle copied = locks.mutex("a").withReplicas(1).acquire();
    await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
    assertThat(copied.isHeld()).as("for longer than its lease").isTrue();

    replica.freeze();

    await().atMost(WAIT).until(() -> !copied.isHeld());
    assertThat(plain.isHeld()).isTrue();
    replica.thaw();
    assertThat(copied.release()).isEqualTo(ReleaseOutcome.LOST);
    plain.close();
  }
}
