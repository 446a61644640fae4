package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two clients that create the same ids, as two processes do that were restored from one image: no
 * client takes a lock, a permit or a result of the other client for its own.
 */
final class ClonedClientTest extends LockTestServer {
  private RedisLocks one;
  private RedisLocks other;

  @BeforeEach
  void restoreTwice() {
    one = open(builder().random(new Random(7)));
    other = open(builder().random(new Random(7)));
  }

  /** The kinds of locks that one handle holds at a time. */
  private enum Kind {
    MUTEX,
    FAIR,
    REENTRANT,
    WRITE,
    SEMAPHORE,
    MULTI;

    DistributedLock of(RedisLocks locks, String name) {
      return switch (this) {
        case MUTEX -> locks.mutex(name);
        case FAIR -> locks.fair(name);
        case REENTRANT -> locks.reentrant(name).ownedBy("owner");
        case WRITE -> locks.readWrite(name).write();
        case SEMAPHORE -> locks.semaphore(name, 1);
        case MULTI -> locks.multi(List.of(name, name + "2"));
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void lock_ofAClone_isNotTheOthers(Kind kind) throws InterruptedException {
    DistributedLock mine = kind.of(one, "a");
    DistributedLock theirs = kind.of(other, "a");
    LockHandle held = mine.tryAcquire(WAIT).orElseThrow();

    assertThat(theirs.tryAcquire()).as("at once").isEmpty();
    assertThat(theirs.tryAcquire(Duration.ofMillis(50))).as("after a wait").isEmpty();
    assertThat(held.extend(LEASE)).as("still held").isTrue();
    assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    LockHandle next = theirs.tryAcquire(WAIT).orElseThrow();
    assertThat(next.id()).isNotEqualTo(held.id());
    assertThat(mine.tryAcquire()).isEmpty();
  }

  @Test
  void waiters_ofClones_getTheLockOneAfterTheOther() {
    for (int i = 0; i < 20; i++) {
      LockHandle first = one.mutex("a").tryAcquire().orElseThrow();
      CompletableFuture<LockHandle> mine = future(one.mutex("a").acquireAsync());
      CompletableFuture<LockHandle> theirs = future(other.mutex("a").acquireAsync());
      first.close();
      LockHandle second = (LockHandle) CompletableFuture.anyOf(mine, theirs).join();
      assertThat(mine.isDone() && theirs.isDone()).as("one holder").isFalse();
      second.close();
      mine.join().close();
      theirs.join().close();
      assertThat(mine.join().fencingToken()).isNotEqualTo(theirs.join().fencingToken());
    }
  }

  @Test
  void permits_ofAClone_countForThemselves() {
    LockHandle mine = one.semaphore("s", 3).tryAcquire().orElseThrow();
    LockHandle theirs = other.semaphore("s", 3).tryAcquire().orElseThrow();
    assertThat(theirs.id()).isNotEqualTo(mine.id());
    assertThat(one.semaphore("s", 3).availablePermits()).isEqualTo(1);

    assertThat(mine.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(theirs.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(one.semaphore("s", 3).availablePermits()).as("two are kept").isEqualTo(1);
  }

  @Test
  void addPermits_ofAClone_takesEffect() {
    assertThat(one.semaphore("s", 1).addPermits(1)).isEqualTo(2);
    assertThat(other.semaphore("s", 1).addPermits(2)).isEqualTo(4);
    assertThat(one.semaphore("s", 1).availablePermits()).isEqualTo(4);
  }

  @Test
  void countDown_ofAClone_takesEffect() {
    assertThat(one.latch("l").trySet(3)).isTrue();
    assertThat(other.latch("l").countDown()).isEqualTo(2);
    assertThat(one.latch("l").countDown()).isEqualTo(1);
    assertThat(other.latch("l").countDown()).isZero();
  }

  @Test
  void downgrade_whileACloneWaitsToRead_hasTwoReaders() throws Exception {
    one.readWrite("r").read().tryAcquire().orElseThrow().close();
    LockHandle writer = one.readWrite("r").write().tryAcquire().orElseThrow();
    assertThat(other.readWrite("r").read().tryAcquire()).isEmpty();
    assertThat(other.readWrite("r").read().tryAcquire()).isEmpty();
    // The third id of each client.
    CompletableFuture<LockHandle> theirs = future(other.readWrite("r").read().acquireAsync());
    await().until(() -> waiting(one, LockKind.READ_WRITE, "r") == 1);
    LockHandle mine = one.readWrite("r").downgrade(writer).orElseThrow();

    assertThat(get(theirs).id()).isNotEqualTo(mine.id());
    mine.close();
    assertThat(one.readWrite("r").write().tryAcquire()).as("one reader is left").isEmpty();
  }
}
