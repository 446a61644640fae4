package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.StoreFullException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests acquisitions of several permits, added and removed permits, and permits that a different
 * process releases.
 */
final class SemaphorePermitsTest extends LockTestServer {
  @Test
  void severalPermits_areTakenAndReleasedTogether() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    DistributedSemaphore five = locks.semaphore("a", 5);
    LockHandle three = five.withPermits(3).acquire();

    assertThat(five.availablePermits()).isEqualTo(2);
    assertThat(five.withPermits(3).tryAcquire()).isEmpty();
    LockHandle two = five.withPermits(2).tryAcquire().orElseThrow();
    assertThat(five.tryAcquire()).isEmpty();
    outlastALease(clock, three, two);
    assertThat(five.availablePermits()).as("after renewals").isZero();
    three.close();
    assertThat(five.availablePermits()).isEqualTo(3);
    two.close();
    assertThat(five.availablePermits()).isEqualTo(5);
  }

  @Test
  void attemptForMany_isNotOvertakenByThoseForFew() throws Exception {
    RedisLocks locks = open();
    LockHandle one = locks.semaphore("a", 3).acquire();
    LockHandle other = locks.semaphore("a", 3).acquire();
    CompletableFuture<LockHandle> all =
        future(locks.semaphore("a", 3).withPermits(3).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);
    assertThat(open().semaphore("a", 3).tryAcquire()).isEmpty();
    one.close();
    assertThat(all).isNotDone();

    other.close();

    assertThat(get(all).isHeld()).isTrue();
    assertThat(locks.semaphore("a", 3).availablePermits()).isZero();
  }

  @Test
  void severalPermits_whoseLeaseEnds_areAllFree() throws Exception {
    RedisLocks locks = open();
    DistributedSemaphore four = locks.semaphore("a", 4);
    assertThat(four.withPermits(3).withLease(Duration.ofMillis(200)).acquire().isHeld()).isTrue();
    LockHandle one = four.acquire();

    LockHandle three = four.withPermits(3).acquire();

    assertThat(four.availablePermits()).isZero();
    three.close();
    one.close();
    assertThat(four.availablePermits()).isEqualTo(4);
  }

  @Test
  void sumOfPermits_thatOutlivedItsHolders_isForgotten() throws Exception {
    RedisLocks locks = open();
    DistributedSemaphore four = locks.semaphore("a", 4);
    four.withPermits(4).withLease(Duration.ofMinutes(5)).acquire();
    redis.ask("DEL", key(locks, "semaphore:a"));

    LockHandle four2 = four.withPermits(4).tryAcquire().orElseThrow();

    assertThat(four.availablePermits()).isZero();
    four2.close();
    assertThat(four.availablePermits()).isEqualTo(4);
  }

  private static String key(RedisLocks locks, String rest) {
    int bucket = locks.session().client().keys(LockKind.SEMAPHORE, "a").bucket();
    return LockKeys.tag("punctual", bucket) + rest;
  }

  @Test
  void addedPermits_goToWaiters_andCountForEverybody() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    LockHandle held = locks.semaphore("a", 1).acquire();
    CompletableFuture<LockHandle> waiting = future(locks.semaphore("a", 1).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);

    assertThat(others.semaphore("a", 1).addPermits(2)).isEqualTo(3);

    assertThat(get(waiting).isHeld()).isTrue();
    assertThat(locks.semaphore("a", 1).availablePermits()).isOne();
    assertThat(locks.semaphore("a", 1).addPermits(-3)).isZero();
    assertThat(locks.semaphore("a", 1).availablePermits()).isZero();
    held.close();
    get(waiting).close();
    assertThat(others.semaphore("a", 1).tryAcquire()).as("all were taken away").isEmpty();
    assertThatThrownBy(() -> others.semaphore("a", 1).addPermits(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'a' has 0 permits");
    assertThatThrownBy(() -> others.semaphore("a", 1).addPermits(10_001))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(others.semaphore("a", 1).addPermits(1)).isOne();
    assertThat(redis.ask("EXISTS", key(locks, "semaphore-added:a"))).hasToString("0");
  }

  /** A foreign program removes the sum of the permits; the next acquisition counts them again. */
  @Test
  void sumOfThePermitsIsLost_isCountedAgainAndExpires() throws Exception {
    RedisLocks locks = open();
    DistributedSemaphore nine = locks.semaphore("a", 9);
    LockHandle four = nine.withPermits(4).acquire();
    LockHandle three = nine.withPermits(3).acquire();
    String tokens = key(locks, "semaphore-tokens:a");
    assertThat(redis.ask("DEL", tokens)).hasToString("1");

    LockHandle two = nine.withPermits(2).acquire();

    assertThat(nine.availablePermits()).isZero();
    assertThat((Long) redis.ask("PTTL", tokens)).isPositive();
    assertThat(redis.ask("DEL", tokens)).hasToString("1");
    three.close();
    assertThat(nine.availablePermits()).isEqualTo(3);
    assertThat((Long) redis.ask("PTTL", tokens)).isPositive();
    assertThat(redis.ask("DEL", tokens)).hasToString("1");
    four.close();
    two.close();
    assertThat(nine.availablePermits()).isEqualTo(9);
    assertThat(redis.ask("EXISTS", tokens)).hasToString("0");
  }

  @Test
  void drainedPermits_areGone_untilTheyAreAdded() throws Exception {
    DistributedSemaphore five = open().semaphore("a", 5);
    LockHandle held = five.withPermits(2).acquire();

    assertThat(five.drainPermits()).isEqualTo(3);

    assertThat(five.drainPermits()).as("again").isZero();
    assertThat(five.tryAcquire()).isEmpty();
    held.close();
    assertThat(five.availablePermits()).isEqualTo(2);
    assertThat(five.addPermits(3)).isEqualTo(5);
  }

  @Test
  void addedPermits_whoseAnswerIsLost_areAddedOnce() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks locks = open(impatientBehind(proxy));
      locks.semaphore("a", 1).availablePermits();
      long before = proxy.swallowedBytes(Direction.TO_CLIENT);
      proxy.swallow(Direction.TO_CLIENT);
      CompletableFuture<Integer> added =
          CompletableFuture.supplyAsync(() -> locks.semaphore("a", 1).addPermits(2));
      await().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > before);
      proxy.heal();

      assertThat(get(added)).isEqualTo(3);
      assertThat(locks.semaphore("a", 1).availablePermits()).isEqualTo(3);
    }
  }

  @Test
  void permitReleasedByItsId_goesToAWaiter_andIsLostToItsHandle() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    LockHandle held = locks.semaphore("a", 2).withPermits(2).acquire();
    CompletableFuture<LockHandle> sibling = future(locks.semaphore("a", 2).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);
    assertThat(others.find(LockKind.SEMAPHORE, "a").orElseThrow().holders().get(0).handle())
        .isEqualTo(held.id());

    assertThat(others.semaphore("a", 2).release(held.id())).isTrue();

    assertThat(get(sibling).isHeld()).isTrue();
    assertThat(others.semaphore("a", 2).release(held.id())).as("again").isFalse();
    assertThat(others.semaphore("b", 2).release(get(sibling).id())).as("elsewhere").isFalse();
    assertThat(locks.semaphore("a", 2).availablePermits()).isOne();
    assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    for (String wrong : List.of("", "a", locks.mutex("m").acquire().id())) {
      assertThatThrownBy(() -> locks.semaphore("a", 2).release(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void severalPermits_thatAreKeptAfterTheirRelease_countAsHeld() throws Exception {
    DistributedSemaphore five = open().semaphore("a", 5);
    LockHandle three = five.withPermits(3).acquire();

    assertThat(three.releaseAfter(Duration.ofMinutes(5))).isEqualTo(ReleaseOutcome.RELEASED);

    assertThat(five.availablePermits()).isEqualTo(2);
  }

  @Test
  void permits_onAFullRedis_areAddedRemovedAndReleased() throws Exception {
    RedisLocks locks = open();
    DistributedSemaphore semaphore = locks.semaphore("a", 1);
    LockHandle held = semaphore.acquire();
    CompletableFuture<LockHandle> waiting = future(semaphore.acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);
    redis.ask("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThat(semaphore.addPermits(2)).isEqualTo(3);
      assertThat(get(waiting).isHeld()).isTrue();
      assertThat(semaphore.drainPermits()).isOne();
      assertThat(semaphore.addPermits(-1)).isOne();
      assertThat(semaphore.release(held.id())).isTrue();
      assertThat(get(waiting).release()).isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(semaphore.availablePermits()).isOne();
      assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(StoreFullException.class);
    } finally {
      redis.ask("CONFIG", "SET", "maxmemory", "0");
    }
  }
}
