package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CohortTurnsTest extends LockTestServer {
  @Test
  void waiterOfAnotherClient_hasItsTurnAfterSixteen() throws Exception {
    RedisLocks locks = open(builder());
    RedisLocks others = open(builder());
    LockHandle first = open(builder()).mutex("a").acquire();
    AtomicInteger before = new AtomicInteger();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(
          future(locks.mutex("a").acquireAsync())
              .thenAccept(
                  handle -> {
                    before.incrementAndGet();
                    handle.close();
                  }));
    }
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    CompletableFuture<Integer> other =
        future(others.mutex("a").acquireAsync())
            .thenApply(
                handle -> {
                  int had = before.get();
                  handle.close();
                  return had;
                });
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 2);

    first.close();

    assertThat(get(other)).isBetween(1, 16);
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
  }

  @Test
  void holderOfMoreThanATenthOfASecond_givesItToTheOtherClient() throws Exception {
    RedisLocks locks = open(builder());
    RedisLocks others = open(builder());
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> mine = future(locks.mutex("a").acquireAsync());
    CompletableFuture<LockHandle> theirs = future(others.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    await().pollDelay(Duration.ofMillis(150)).until(() -> true);

    first.close();

    LockHandle other = get(theirs);
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    assertThat(mine).isNotDone();
    other.close();
    LockHandle last = get(mine);
    assertThat(last.fencingToken()).isGreaterThan(other.fencingToken());
    assertThat(other.fencingToken()).isGreaterThan(first.fencingToken() + 15);
    last.close();
  }

  @Test
  void leaseOfItsOwn_isWhole_soTheServerGrantsIt() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").withLease(LONG).acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);

    first.close();

    assertThat(get(waiting).remaining()).isGreaterThan(LONG.minusMinutes(2));
    get(waiting).close();
  }

  @Test
  void leasesOfItsOwn_ofOneClient_makeATurnOfATenthOfASecondAsWell() throws Exception {
    RedisLocks locks = open(builder());
    RedisLocks others = open(builder());
    LockHandle first = locks.mutex("a").withLease(LONG).acquire();
    List<String> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    all.add(enter(others.mutex("a"), "theirs", order));
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    for (int i = 0; i < 8; i++) {
      all.add(enter(locks.mutex("a").withLease(LONG), "mine", order));
    }
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 9);
    await().pollDelay(Duration.ofMillis(150)).until(() -> true);

    first.close();

    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(order).hasSize(9).startsWith("theirs");
  }

  private static CompletableFuture<?> enter(DistributedLock lock, String who, List<String> order) {
    return future(lock.acquireAsync())
        .thenAccept(
            handle -> {
              order.add(who);
              handle.close();
            });
  }

  @Test
  void lockHandedOverByAnotherClient_isRenewedAtOnce() throws Exception {
    // The client's clock stands still, so its timers fire only when the test advances the clock.
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle held = open(builder()).mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    await().until(() -> ((List<?>) redis.ask("PUBSUB", "CHANNELS", "*")).size() == 1);

    held.close();
    LockHandle handle = get(waiting);

    await()
        .untilAsserted(
            () -> {
              clock.advance(Duration.ofMillis(1));
              // The first lease is only 1.5 seconds long, so the new holder must have renewed it.
              assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(20));
            });
    handle.close();
  }
}
