package io.punctual.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.lock.internal.attempt.CohortProbe;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests a mutex that passes between its waiters in the same client. */
final class CohortTest extends LockTestServer {
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");

  private static void awaitWaiting(RedisLocks locks, int number) {
    await().until(() -> locks.counters().waiting() == number);
  }

  private static void assertNothingIsLeft(RedisLocks locks) {
    await().untilAsserted(() -> assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty());
    assertThat(CohortProbe.count(locks.attempts())).isZero();
    assertThat(locks.session().watchdog().holds()).isEmpty();
    assertThat(locks.counters().waiting()).isZero();
    assertThat(locks.counters().holding()).isZero();
  }

  @Test
  void waitersOfOneClient_haveItInTurnsWithoutTheServer() throws Exception {
    // While the time stands still, only the number of holders ends a turn of the client.
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle first = locks.mutex("a").acquire();
    List<Integer> order = new ArrayList<>();
    List<Long> tokens = new ArrayList<>(List.of(first.fencingToken()));
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 47; i++) {
      int number = i;
      all.add(
          future(locks.mutex("a").acquireAsync())
              .thenAccept(
                  handle -> {
                    order.add(number);
                    tokens.add(handle.fencingToken());
                    handle.close();
                  }));
    }
    awaitWaiting(locks, 47);
    long before = locks.counters().scripts();

    first.close();

    advanceUntil(clock, () -> all.stream().allMatch(CompletableFuture::isDone));
    assertThat(order).isSorted().hasSize(47);
    assertThat(tokens).doesNotHaveDuplicates().isSorted();
    // The limit is below 47, the number of scripts that would run if each acquisition needed a
    // script.
    assertThat(locks.counters().scripts() - before).isLessThan(30);
    assertNothingIsLeft(locks);
  }

  @Test
  void lockThatPassedOn_isRenewed() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").acquireAsync());
    awaitWaiting(locks, 1);
    first.close();

    LockHandle handle = get(waiting);
    outlastALease(clock, handle);

    assertThat(handle.isHeld()).isTrue();
    assertThat(open().mutex("a").tryAcquire()).isEmpty();
    assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertNothingIsLeft(locks);
  }

  @Test
  void leaderThatGivesUp_isFollowedByTheNext() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle held = open(builder()).mutex("a").acquire();
    CompletableFuture<LockHandle> leader = future(locks.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    CompletableFuture<LockHandle> next = future(locks.mutex("a").acquireAsync());
    CompletableFuture<LockHandle> last = future(locks.mutex("a").acquireAsync());
    awaitWaiting(locks, 3);

    leader.cancel(true);
    awaitWaiting(locks, 2);
    held.close();

    get(next).close();
    get(last).close();
    assertNothingIsLeft(locks);
  }

  @Test
  void waiterBehindTheHolder_thatGivesUp_isPassedOver() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> second = future(locks.mutex("a").acquireAsync());
    CompletableFuture<LockHandle> third = future(locks.mutex("a").acquireAsync());
    assertThat(locks.mutex("a").tryAcquire(Duration.ofMillis(50))).isEmpty();
    second.cancel(true);
    awaitWaiting(locks, 1);

    first.close();

    get(third).close();
    assertNothingIsLeft(locks);
  }

  @Test
  void lockThatIsTakenAway_isAskedForByThoseBehindItWithinASecond() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle held = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").acquireAsync());
    awaitWaiting(locks, 1);

    assertThat(open().forceRelease(LockKind.MUTEX, "a")).isOne();

    // A renewal after a third of the lease would come only after ten seconds.
    clock.advance(Duration.ofSeconds(1));
    advanceUntil(clock, waiting::isDone);
    assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    assertThat(get(waiting).release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  @Test
  void serverThatDoesNotAnswer_isTroubleForThoseBehindAsWell() throws Exception {
    RedisLocks locks =
        open(
            builder()
                .commandTimeout(Duration.ofMillis(200))
                .durabilityTimeout(Duration.ofMillis(100)));
    locks.mutex("b").acquire().close();
    redis.freeze();
    try {
      Duration wait = Duration.ofMillis(900);
      var leader = future(locks.mutex("a").tryAcquireAsync(wait));
      var behind = future(locks.mutex("a").tryAcquireAsync(wait));

      for (var one : List.of(leader, behind)) {
        assertThat(one)
            .failsWithin(WAIT)
            .withThrowableOfType(ExecutionException.class)
            .withCauseInstanceOf(StoreUnavailableException.class);
      }
    } finally {
      redis.thaw();
    }
  }

  @Test
  void troubleBeforeAGrant_isOverWithIt() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle held = open(builder()).mutex("a").acquire();
    CompletableFuture<LockHandle> leader = future(locks.mutex("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    CohortProbe.fail(locks.attempts(), "a", new PunctualException("no answer"));

    held.close();

    LockHandle handle = get(leader);
    assertThat(locks.mutex("a").tryAcquire(Duration.ofMillis(20))).isEmpty();
    handle.close();
  }

  @Test
  void close_endsThoseBehind_andGivesTheLockBack() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle held = locks.mutex("a").acquire();
    List<CompletableFuture<LockHandle>> behind = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      behind.add(future(locks.mutex("a").acquireAsync()));
    }
    awaitWaiting(locks, 5);

    locks.close();

    for (CompletableFuture<LockHandle> one : behind) {
      assertThat(one)
          .failsWithin(WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ClientClosedException.class);
    }
    assertThat(held.isHeld()).isFalse();
    assertThat(open().mutex("a").tryAcquire()).isPresent();
  }

  @Test
  void threadsThatComeAndGiveUp_haveItOneAtATimeAndLeaveNothing() throws Exception {
    List<RedisLocks> clients = List.of(open(), open());
    AtomicInteger inside = new AtomicInteger();
    AtomicLong lastToken = new AtomicLong();
    AtomicInteger entered = new AtomicInteger();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      RedisLocks locks = clients.get(i % 2);
      Random random = new Random(i);
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int k = 0; k < (THOROUGH ? 150 : 40); k++) {
                  enter(locks, random.nextInt(4_000), inside, lastToken, entered);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<?> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
    assertThat(entered).hasPositiveValue();
    clients.forEach(CohortTest::assertNothingIsLeft);
    clients.forEach(locks -> assertThat(locks.counters().lost()).isZero());
  }

  private static void enter(
      RedisLocks locks,
      int waitMicros,
      AtomicInteger inside,
      AtomicLong lastToken,
      AtomicInteger entered) {
    try {
      Optional<LockHandle> got = locks.mutex("a").tryAcquire(Duration.ofNanos(waitMicros * 1_000L));
      got.ifPresent(
          handle -> {
            assertThat(inside.incrementAndGet()).isOne();
            assertThat(handle.fencingToken()).isGreaterThan(lastToken.get());
            lastToken.set(handle.fencingToken());
            entered.incrementAndGet();
            inside.decrementAndGet();
            handle.close();
          });
    } catch (StoreUnavailableException silent) {
      // On a busy machine the server may reply later than the end of such a short wait.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void leaderThatTimesOut_leavesItsPlaceInTheLineToItsSibling() throws Exception {
    RedisLocks locks = open(builder());
    RedisLocks others = open(builder());
    LockHandle held = open(builder()).mutex("a").acquire();
    var leader = future(locks.mutex("a").tryAcquireAsync(Duration.ofSeconds(5)));
    await().until(() -> waiting(others, LockKind.MUTEX, "a") == 1);
    List<?> leading = firstInLine(locks);
    CompletableFuture<LockHandle> sibling = future(locks.mutex("a").acquireAsync());
    CompletableFuture<LockHandle> theirs = future(others.mutex("a").acquireAsync());
    await().until(() -> waiting(others, LockKind.MUTEX, "a") == 2);

    assertThat(get(leader)).isEmpty();
    await().until(() -> !leading.equals(firstInLine(locks)));
    held.close();

    LockHandle next = get(sibling);
    assertThat(theirs).isNotDone();
    next.close();
    get(theirs).close();
  }

  private static List<?> firstInLine(RedisLocks locks) {
    LockKeys keys = locks.session().client().keys(LockKind.MUTEX, "a");
    String line = LockKeys.tag("punctual", keys.bucket()) + "mutex-line:a";
    return requireNonNull((List<?>) redis.ask("ZRANGE", line, "0", "0"));
  }
}
