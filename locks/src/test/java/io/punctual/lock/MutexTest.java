package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.StoreFullException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the behaviour of mutexes and fair locks that {@link LockContract} does not cover. */
final class MutexTest extends LockTestServer {
  /**
   * The first lease of a waiter that was granted the lock; it is short until its client renews it.
   */
  private static final Duration FIRST_LEASE = Duration.ofMillis(1_500);

  @Test
  void fair_waitersOfThreeClients_haveItInTheOrderOfArrival() throws Exception {
    List<RedisLocks> clients = List.of(open(), open(), open());
    LockHandle first = clients.get(0).fair("a").acquire();
    List<Integer> order = new ArrayList<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int number = i;
      all.add(
          future(clients.get(i % 3).fair("a").acquireAsync())
              .thenAccept(
                  handle -> {
                    synchronized (order) {
                      order.add(number);
                    }
                    handle.close();
                  }));
      await().until(() -> waiting(clients.get(0), LockKind.MUTEX, "a") == number + 1);
    }

    first.close();

    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  }

  @Test
  void fair_whoComesWhenOthersWait_doesNotPushIn() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    LockHandle first = locks.fair("a").withLease(Duration.ofSeconds(2)).acquire();
    CompletableFuture<LockHandle> waiting = future(others.fair("a").acquireAsync());
    await().until(() -> waiting.isDone() || waiting(locks, LockKind.MUTEX, "a") == 1);
    // The waiter gets the lock only by its next request, which it sends after the lease has ended.
    await().pollInterval(Duration.ofMillis(1)).until(() -> !first.isHeld());

    assertThat(locks.fair("a").tryAcquire()).isEmpty();
    assertThat(get(waiting).isHeld()).isTrue();
  }

  @Test
  void mutexFairAndReentrant_ofOneName_areOneLock() throws InterruptedException {
    RedisLocks locks = open();
    try (LockHandle handle = locks.mutex("a").acquire()) {
      assertThat(locks.fair("a").tryAcquire()).isEmpty();
      assertThat(locks.reentrant("a").tryAcquire()).isEmpty();
      assertThat(locks.readWrite("a").write().tryAcquire()).as("another kind").isPresent();
      assertThat(locks.mutex("b").tryAcquire()).as("another name").isPresent();
      assertThat(handle.isHeld()).isTrue();
    }
  }

  @Test
  void uncontendedPair_isTwoScripts() throws InterruptedException {
    RedisLocks locks = open(builder());
    locks.mutex("a").acquire().close();
    long before = locks.counters().scripts();
    for (int i = 0; i < 50; i++) {
      locks.mutex("a").acquire().close();
    }
    assertThat(locks.counters().scripts() - before).isEqualTo(100);
  }

  @Test
  void manyLocks_areRenewedTogether() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    List<CompletableFuture<LockHandle>> asked = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      asked.add(future(locks.mutex("many-" + i).acquireAsync()));
    }
    List<LockHandle> handles = new ArrayList<>();
    for (CompletableFuture<LockHandle> one : asked) {
      handles.add(get(one));
    }
    long before = locks.counters().scripts();

    clock.advance(Duration.ofSeconds(11));
    advanceUntil(
        clock,
        () ->
            handles.stream()
                .allMatch(one -> one.remaining().compareTo(Duration.ofSeconds(25)) > 0));

    assertThat(handles).allMatch(LockHandle::isHeld);
    // With a script for each renewal, the number would be at least 4,000. The names are in 256
    // buckets, each of which needs a script of its own.
    assertThat(locks.counters().scripts() - before).isBetween(256L, 3_000L);
  }

  @Test
  void thousandsOfWaiters_shareOneSubscription() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle first = locks.mutex("a").acquire();
    int threads = Thread.getAllStackTraces().size();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(future(locks.mutex("a").acquireAsync()).thenAccept(LockHandle::close));
    }
    List<CompletableFuture<?>> fair = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      fair.add(future(locks.fair("a").acquireAsync()).thenAccept(LockHandle::close));
    }
    all.addAll(fair);
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1000);
    assertThat(locks.counters().waiting()).isEqualTo(2000);
    assertThat(Thread.getAllStackTraces().size())
        .as("waiting holds no thread")
        .isLessThan(threads + 100);

    assertThat((List<?>) redis.ask("PUBSUB", "CHANNELS", "*")).hasSize(1);
    first.close();
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
  }

  @Test
  void grants_thatNobodyIsToldOf_costASecond() throws Exception {
    redis.ask("ACL", "SETUSER", "deaf", "on", ">deaf", "~*", "+@all", "resetchannels");
    String url = redis.url().replace("redis://", "redis://deaf:deaf@");
    RedisLocks deaf = open(RedisLocks.builder().url(url));
    RedisLocks other = open(RedisLocks.builder().url(url));
    List<Duration> took = new ArrayList<>();
    // One round that the machine does not delay is enough.
    for (int i = 0; i < 20 && (i == 0 || Collections.min(took).compareTo(FIRST_LEASE) >= 0); i++) {
      LockHandle first = deaf.mutex("a").acquire();
      CompletableFuture<LockHandle> waiting = future(other.mutex("a").acquireAsync());
      await().until(() -> waiting(deaf, LockKind.MUTEX, "a") == 1);
      long start = System.nanoTime();
      first.close();
      get(waiting).close();
      took.add(Duration.ofNanos(System.nanoTime() - start));
    }
    assertThat(Collections.min(took))
        .as("asked again before its first lease was over")
        .isLessThan(FIRST_LEASE);
  }

  @Test
  void fullRedis_refusesNewLocksAndGivesBackOldOnes() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle held = locks.mutex("a").acquire();
    LockHandle read = locks.readWrite("a").read().acquire();
    CompletableFuture<LockHandle> waiting = future(open().mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    redis.ask("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThatThrownBy(() -> locks.mutex("b").tryAcquire())
          .isInstanceOf(StoreFullException.class)
          .hasMessageContaining("'b'");
      outlastALease(clock, held, read);
      assertThat(held.isHeld()).isTrue();
      assertThat(read.isHeld()).as("renewed").isTrue();
      assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(get(waiting).isHeld()).as("passed on").isTrue();
      assertThat(read.release()).isEqualTo(ReleaseOutcome.RELEASED);
      LockHandle next = get(waiting);
      assertThat(next.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(holder(locks, LockKind.MUTEX).fencingToken()).isEqualTo(next.fencingToken());
    } finally {
      redis.ask("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void withReplicas_thatAreNotThere_isUndone() throws Exception {
    RedisLocks locks = open(builder().durabilityTimeout(Duration.ofMillis(100)));
    assertThatThrownBy(() -> locks.mutex("a").withReplicas(1).acquire())
        .isInstanceOf(NotConfirmedException.class)
        .hasMessageContaining("0 of 1 replicas");
    assertThatThrownBy(() -> get(locks.mutex("a").withAllReplicas().acquireAsync()))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("no replica");

    LockHandle next = locks.mutex("a").tryAcquire(Duration.ofSeconds(20)).orElseThrow();
    assertThat(next.isHeld()).isTrue();
    next.close();
  }

  @Test
  void withReplicas_thatAreThere_isAcquiredAndGranted() throws Exception {
    try (RedisProcess replica = RedisProcess.builder().replicaOf(redis).start()) {
      await()
          .atMost(WAIT)
          .until(
              () -> String.valueOf(replica.ask("INFO", "replication")).contains("link_status:up"));
      RedisLocks locks = open();
      LockHandle first = locks.mutex("a").withReplicas(1).acquire();
      CompletableFuture<LockHandle> waiting =
          future(open().mutex("a").withAllReplicas().acquireAsync());
      await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
      assertThat((Long) replica.ask("DBSIZE")).isPositive();

      first.close();

      assertThat(get(waiting).isHeld()).isTrue();
    }
  }

  @Test
  void forceRelease_withAWaiter_passesItOn() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    RedisLocks other = open();
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(other.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);

    assertThat(other.forceRelease(LockKind.MUTEX, "a")).isOne();

    LockHandle next = get(waiting);
    assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
    awaitLoss(clock, first);
    assertThat(first.release()).isEqualTo(ReleaseOutcome.LOST);
    assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  @Test
  void onLost_duringARelease_runsIfTheReleaseFindsTheLockLost() throws Exception {
    RedisLocks locks = open();
    LockHandle handle = locks.mutex("a").acquire();
    open().forceRelease(LockKind.MUTEX, "a");
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<ReleaseOutcome> release;
    redis.freeze();
    try {
      release = handle.releaseAsync().toCompletableFuture();
      handle.onLost(lost -> calls.incrementAndGet());
    } finally {
      redis.thaw();
    }

    assertThat(get(release)).isEqualTo(ReleaseOutcome.LOST);
    await().untilAsserted(() -> assertThat(calls).hasValue(1));
  }

  @Test
  void list_hasWhatIsHeld() throws InterruptedException {
    RedisLocks locks = open();
    LockHandle one = locks.mutex("one: {x}").acquire();
    LockHandle two = locks.mutex("two").acquire();
    LockHandle read = locks.readWrite("three").read().acquire();

    assertThat(locks.list(LockKind.MUTEX, 10))
        .extracting(LockInfo::name)
        .containsExactlyInAnyOrder("one: {x}", "two");
    assertThat(locks.list(LockKind.MUTEX, 1)).hasSize(1);
    LockInfo found = locks.find(LockKind.READ_WRITE, "three").orElseThrow();
    assertThat(found.holders()).hasSize(1);
    assertThat(found.holders().get(0).fencingToken()).isEqualTo(read.fencingToken());
    assertThat(locks.find(LockKind.MUTEX, "nobody")).isEmpty();
    one.close();
    two.close();
    read.close();
  }
}
