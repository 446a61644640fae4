package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The behaviour of each kind of {@link DistributedLock} that at most one handle holds. */
@Timeout(300)
abstract class LockContract extends LockScene {
  @Test
  void acquire_free_isHeldUntilReleased() throws InterruptedException {
    LockHandle handle = mine().acquire();

    assertThat(handle.isHeld()).isTrue();
    assertThat(handle.remaining()).isPositive();
    assertThat(theirs().tryAcquire()).isEmpty();
    assertThat(mine().tryAcquire()).isEmpty();
    assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(handle.isHeld()).isFalse();
    assertThat(handle.remaining()).isZero();
    assertThat(handle.release()).as("again").isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(theirs().tryAcquire()).isPresent();
  }

  @Test
  void acquire_again_hasAHigherToken() throws InterruptedException {
    long last = 0;
    for (int i = 0; i < 20; i++) {
      try (LockHandle handle = lock(i % 2 == 0 ? locks : others, name).acquire()) {
        if (hasTokens()) {
          assertThat(handle.fencingTokens()).isNotEmpty();
          long token = handle.fencingTokens().values().iterator().next();
          assertThat(token).isGreaterThan(last);
          last = token;
        } else {
          assertThatThrownBy(handle::fencingToken)
              .isInstanceOf(UnsupportedOperationException.class);
        }
      }
    }
  }

  @Tag("extended")
  @Test
  void tryAcquire_heldForAllOfTheWait_isEmptySoonAfterIt() throws InterruptedException {
    assertThat(waitInVain()).isLessThan(Duration.ofSeconds(5));
  }

  /** Waits for a lock that stays held; returns how long the attempt took. */
  private Duration waitInVain() throws InterruptedException {
    try (LockHandle ignored = theirs().acquire()) {
      long start = System.nanoTime();
      Optional<LockHandle> none = mine().tryAcquire(Duration.ofMillis(150));
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(none).isEmpty();
      return took;
    }
  }

  @Test
  void tryAcquire_heldForAllOfTheWait_isEmptyNotBefore() throws InterruptedException {
    assertThat(waitInVain()).isGreaterThanOrEqualTo(Duration.ofMillis(150));
    assertThat(locks.counters().notAcquired()).isPositive();
    assertThat(hasEvent(LockEvent.NotAcquired.class)).isTrue();
    try (LockHandle again = mine().tryAcquire(WAIT).orElseThrow()) {
      assertThat(again.isHeld()).as("nobody in between has it").isTrue();
    }
  }

  @Test
  void acquire_whileHeld_isGrantedAtTheRelease() throws InterruptedException {
    LockHandle first = theirs().acquire();
    CompletableFuture<LockHandle> waiting = mine().acquireAsync().toCompletableFuture();
    await().until(() -> locks.counters().waiting() == 1);
    assertThat(waiting).isNotDone();

    first.close();

    assertThat(waiting).succeedsWithin(WAIT).matches(LockHandle::isHeld);
    assertThat(theirs().tryAcquire()).isEmpty();
    waiting.join().close();
  }

  @Test
  void acquire_interrupted_leavesNoGhost() throws Exception {
    LockHandle first = theirs().acquire();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try (LockHandle handle = mine().acquire()) {
                thrown.set(new AssertionError("acquired " + handle));
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    waiter.start();
    await().until(() -> locks.counters().waiting() == 1);

    waiter.interrupt();
    waiter.join(WAIT.toMillis());

    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    first.close();
    try (LockHandle next = theirs().tryAcquire(WAIT).orElseThrow()) {
      assertThat(next.isHeld()).isTrue();
    }
  }

  @Test
  void acquireAsync_cancelled_leavesNoGhost() throws InterruptedException {
    LockHandle first = theirs().acquire();
    CompletableFuture<LockHandle> waiting = mine().acquireAsync().toCompletableFuture();
    await().until(() -> locks.counters().waiting() == 1);

    waiting.cancel(true);

    await().until(() -> locks.counters().waiting() == 0);
    first.close();
    try (LockHandle next = theirs().tryAcquire(WAIT).orElseThrow()) {
      assertThat(next.isHeld()).isTrue();
    }
    assertThatThrownBy(waiting::get).isInstanceOf(CancellationException.class);
  }

  @Test
  void countersAndEvents_tellOfEachStep() throws InterruptedException {
    LockCounters before = locks.counters();
    LockHandle first = theirs().acquire();
    CompletableFuture<LockHandle> waiting = mine().acquireAsync().toCompletableFuture();
    await().until(() -> locks.counters().waiting() == 1);
    await().pollDelay(Duration.ofMillis(50)).until(() -> true);
    first.close();
    assertThat(waiting).succeedsWithin(WAIT);
    assertThat(locks.counters().holding()).isPositive();
    await().pollDelay(Duration.ofMillis(50)).until(() -> true);
    waiting.join().close();

    LockCounters after = locks.counters();
    assertThat(after.acquired()).isGreaterThan(before.acquired());
    assertThat(after.released()).isGreaterThan(before.released());
    assertThat(after.waited().minus(before.waited())).isGreaterThan(Duration.ofMillis(49));
    assertThat(after.held().minus(before.held())).isGreaterThan(Duration.ofMillis(49));
    assertThat(after.holding()).isZero();
    assertThat(after.waiting()).isZero();
    assertThat(hasEvent(LockEvent.Acquired.class)).isTrue();
    assertThat(hasEvent(LockEvent.Released.class)).isTrue();
  }

  @Test
  void acquireAsync_timedOutByTheUser_isGivenUp() throws InterruptedException {
    try (LockHandle first = theirs().acquire()) {
      CompletableFuture<LockHandle> waiting =
          mine().acquireAsync().toCompletableFuture().orTimeout(50, TimeUnit.MILLISECONDS);

      assertThat(waiting).failsWithin(WAIT);

      await().until(() -> locks.counters().waiting() == 0);
      assertThat(first.isHeld()).isTrue();
    }
  }

  @Test
  void acquire_interruptedBefore_asksForNothing() {
    long before = locks.counters().acquired();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> mine().acquire()).isInstanceOf(InterruptedException.class);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> mine().tryAcquire(WAIT)).isInstanceOf(InterruptedException.class);
    assertThat(locks.counters().acquired()).isEqualTo(before);
    assertThat(locks.counters().waiting()).isZero();
  }

  @Test
  void close_ofTheLocks_endsAllWaiting() throws InterruptedException {
    try (LockHandle first = theirs().acquire()) {
      CompletableFuture<LockHandle> waiting = mine().acquireAsync().toCompletableFuture();
      await().until(() -> locks.counters().waiting() == 1);

      locks.close();

      assertThat(waiting)
          .failsWithin(WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ClientClosedException.class)
          .withMessageContaining("closed");
      assertThat(first.isHeld()).isTrue();
    }
  }

  @Test
  void tryAcquireAsync_heldForAllOfTheWait_isEmpty() throws Exception {
    try (LockHandle ignored = theirs().acquire()) {
      assertThat(
              mine()
                  .tryAcquireAsync(Duration.ofMillis(50))
                  .toCompletableFuture()
                  .get(60, TimeUnit.SECONDS))
          .isEmpty();
    }
  }

  @Test
  void handle_keptForLongerThanALease_isRenewed() throws InterruptedException {
    stopTheTime();
    try (LockHandle handle = mine().acquire()) {
      Duration fallen = lease().minusMillis(200);
      await().until(() -> remainingOnTheServer().compareTo(fallen) < 0);

      LockTestServer.advanceUntilRenewed(
          lease(), clock, handle, () -> remainingOnTheServer().compareTo(fallen) > 0);
      LockTestServer.outlast(lease(), clock, handle);

      assertThat(handle.isHeld()).isTrue();
      assertThat(handle.remaining()).isPositive();
      assertThat(theirs().tryAcquire()).isEmpty();
      assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
    assertThat(hasEvent(LockEvent.Lost.class)).isFalse();
  }

  @Test
  void handle_withALeaseOfItsOwn_isLostWhenItEnds() throws InterruptedException {
    AtomicInteger told = new AtomicInteger();
    LockHandle handle = mine().withLease(Duration.ofMillis(200)).acquire();
    handle.onLost(lost -> told.incrementAndGet());
    assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofMillis(200));

    LockHandle next = theirs().tryAcquire(WAIT).orElseThrow();

    assertThat(handle.isHeld()).as("by its own clock, before anybody else has it").isFalse();
    await().untilAsserted(() -> assertThat(told).hasValue(1));
    assertThat(handle.release()).isEqualTo(ReleaseOutcome.LOST);
    assertThat(next.isHeld()).as("and the loser takes nothing away").isTrue();
    handle.onLost(lost -> told.incrementAndGet());
    await().untilAsserted(() -> assertThat(told).as("told at once when late").hasValue(2));
    handle.close();
    next.close();
  }

  @Test
  void handle_takenAway_learnsIt() throws InterruptedException {
    stopTheTime();
    LockHandle handle = mine().acquire();
    AtomicReference<LockHandle> told = new AtomicReference<>();
    handle.onLost(told::set);

    takeAway();
    LockTestServer.awaitLoss(clock, handle);

    await().untilAsserted(() -> assertThat(told).hasValue(handle));
    assertThat(handle.isHeld()).isFalse();
    assertThat(hasEvent(LockEvent.Lost.class)).isTrue();
    assertThat(locks.counters().lost()).isPositive();
    handle.close();
  }

  @Test
  void close_ofTheLocks_givesAllBack() throws InterruptedException {
    LockHandle handle = mine().acquire();

    locks.close();

    assertThat(handle.isHeld()).isFalse();
    assertThat(theirs().tryAcquire(Duration.ofSeconds(20))).isPresent();
    assertThatThrownBy(() -> mine().acquireAsync().toCompletableFuture().get())
        .isInstanceOf(ExecutionException.class);
  }

  @Test
  void wrongArguments_areRefused() {
    assertThatThrownBy(() -> lock(locks, "")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock(locks, "a\nb")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock(locks, "x".repeat(257)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256");
    assertThatThrownBy(() -> mine().withLease(Duration.ofMillis(9)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> mine().withLease(Duration.ofDays(31)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> mine().tryAcquire(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> mine().tryAcquire(Duration.ofDays(366)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void eightThreadsOfTwoClients_haveItOneAtATime() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger entered = new AtomicInteger();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      RedisLocks of = i % 2 == 0 ? locks : others;
      all.add(
          CompletableFuture.runAsync(
              () -> enter(of, inside, entered, 15), task -> new Thread(task).start()));
    }
    for (CompletableFuture<?> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
    assertThat(entered).hasValue(8 * 15);
  }

  private void enter(RedisLocks of, AtomicInteger inside, AtomicInteger entered, int times) {
    for (int i = 0; i < times; i++) {
      try (LockHandle handle = lock(of, name).acquire()) {
        assertThat(inside.incrementAndGet()).isOne();
        assertThat(handle.isHeld()).isTrue();
        entered.incrementAndGet();
        inside.decrementAndGet();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
