package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/**
 * Tests waits that are shorter than the time-out of a command, on a server that does not answer.
 */
final class SilentServerTest extends LockTestServer {
  @Test
  void shortWait_onASilentServer_doesNotSayThatOthersHaveTheLock() {
    RedisLocks locks = open();
    locks.mutex("warm").tryAcquire().orElseThrow().close();
    redis.freeze();
    try {
      for (DistributedLock lock :
          List.of(
              locks.mutex("a"),
              locks.fair("a"),
              locks.readWrite("a").read(),
              locks.semaphore("a", 2),
              locks.mutex("a").withLease(Duration.ofSeconds(1)))) {
        for (int millis : new int[] {1, 300}) {
          assertThatThrownBy(() -> lock.tryAcquire(Duration.ofMillis(millis)))
              .isInstanceOf(StoreUnavailableException.class)
              .hasMessageContaining("not answered");
        }
      }
    } finally {
      redis.thaw();
    }
  }

  @Test
  void siblingsOfAnAttemptWithoutAnswer_doNotSayThatOthersHaveTheLock() {
    RedisLocks locks = open();
    locks.mutex("warm").tryAcquire().orElseThrow().close();
    redis.freeze();
    try {
      CompletableFuture<LockHandle> leader = future(locks.mutex("a").acquireAsync());
      assertSilent(future(locks.mutex("a").tryAcquireAsync(Duration.ofMillis(300))));
      leader.cancel(true);
    } finally {
      redis.thaw();
    }
  }

  @Test
  void attemptsBehindAnAttemptOfTheirOwnerWithoutAnswer_doNotSayThatOthersHaveTheLock() {
    RedisLocks locks = open();
    locks.mutex("warm").tryAcquire().orElseThrow().close();
    OwnedLock mine = locks.reentrant("a").ownedBy("request-1");
    redis.freeze();
    try {
      CompletableFuture<LockHandle> first = future(mine.acquireAsync());
      assertThatThrownBy(mine::tryAcquire)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'a'")
          .hasMessageContaining("not answered");
      assertSilent(future(mine.tryAcquireAsync(Duration.ofMillis(300))));
      first.cancel(true);
    } finally {
      redis.thaw();
    }
  }

  @Test
  void serverThatFallsSilentDuringTheWait_doesNotMeanThatOthersHaveTheLock() throws Exception {
    RedisLocks locks = open();
    LockHandle held = open(builder()).mutex("a").acquire();
    RedisLocks third = open();
    var waiting = future(locks.mutex("a").tryAcquireAsync(Duration.ofMillis(3_500)));
    await().until(() -> waiting(third, LockKind.MUTEX, "a") == 1);
    redis.freeze();
    try {
      assertSilent(waiting);
    } finally {
      redis.thaw();
    }
    assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  private static void assertSilent(CompletableFuture<Optional<LockHandle>> asked) {
    assertThat(asked)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StoreUnavailableException.class)
        .withMessageContaining("not answered");
  }

  @Test
  void shortestWait_forAFreeLock_waitsForTheFirstAnswer() throws Exception {
    RedisLocks locks = open();
    int answered = 0;
    for (int i = 0; i < 500 && answered <= 25; i++) {
      try {
        Optional<LockHandle> got = locks.mutex("a").tryAcquire(Duration.ofNanos(1));
        assertThat(got).isPresent();
        got.orElseThrow().close();
        answered++;
      } catch (StoreUnavailableException stalled) {
        // The machine stalled for longer than a tenth of a second, after which a server counts as
        // silent.
        await().until(() -> locks.find(LockKind.MUTEX, "a").isEmpty());
      }
    }
    assertThat(answered).isGreaterThan(25);
  }

  @Test
  void shortestWait_forALockOfOthers_isEmpty() throws Exception {
    RedisLocks locks = open();
    try (LockHandle held = open().mutex("a").acquire()) {
      assertThat(locks.mutex("a").tryAcquire(Duration.ofNanos(1))).isEmpty();
      assertThat(held.isHeld()).isTrue();
    }
    assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
  }

  @Test
  void waitThatEndsBeforeTheReplicasConfirm_doesNotSayThatOthersHaveTheLock() {
    RedisLocks locks = open();
    DistributedLock lock = locks.mutex("a").withReplicas(1);

    assertThatThrownBy(() -> lock.tryAcquire(Duration.ofMillis(300)))
        .isInstanceOf(NotConfirmedException.class)
        .hasMessageContaining("wait was over");
    await("given back").until(() -> locks.find(LockKind.MUTEX, "a").isEmpty());
  }
}
