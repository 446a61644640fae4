package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Tests reentrant locks of owners and of threads, and the exceptions after wrong calls. */
@SuppressWarnings("LockNotBeforeTry") // The tests check each lock() and unlock() by itself.
final class OwnershipTest extends LockTestServer {
  private static <T> T elsewhere(java.util.concurrent.Callable<T> call) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                result.complete(call.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            })
        .start();
    return result.get(60, TimeUnit.SECONDS);
  }

  @Test
  void reentrant_sameThread_entersAgainUnderTheSameToken() throws Exception {
    RedisLocks locks = open();
    LockHandle outer = locks.reentrant("a").acquire();
    LockHandle inner = locks.reentrant("a").tryAcquire().orElseThrow();

    assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
    assertThat(elsewhere(() -> locks.reentrant("a").tryAcquire())).isEmpty();
    assertThat(outer.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
    assertThat(outer.isHeld()).isFalse();
    assertThat(outer.release()).as("again").isEqualTo(ReleaseOutcome.STILL_HELD);
    assertThat(inner.isHeld()).isTrue();
    assertThat(elsewhere(() -> locks.reentrant("a").tryAcquire())).isEmpty();
    assertThat(inner.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(elsewhere(() -> locks.reentrant("a").tryAcquire())).isPresent();
  }

  @Test
  void reentrant_leftOnceOfTwice_isStillRenewed() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle outer = locks.reentrant("a").acquire();
    LockHandle inner = locks.reentrant("a").acquire();
    assertThat(inner.release()).isEqualTo(ReleaseOutcome.STILL_HELD);

    outlastALease(clock, outer);

    assertThat(outer.isHeld()).isTrue();
    assertThat(open().mutex("a").tryAcquire()).isEmpty();
    assertThat(outer.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  @Test
  void reentrant_byOwner_isFreeOfThreads() throws Exception {
    RedisLocks locks = open();
    OwnedLock mine = locks.reentrant("a").ownedBy("request-1");
    LockHandle outer = get(mine.acquireAsync());
    LockHandle inner = elsewhere(() -> mine.tryAcquire().orElseThrow());

    assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
    assertThat(locks.reentrant("a").ownedBy("request-2").tryAcquire()).isEmpty();
    assertThatThrownBy(() -> locks.reentrant("a").acquireAsync())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ownedBy");
    outer.close();
    elsewhere(inner::release);
    assertThat(locks.reentrant("a").ownedBy("request-2").tryAcquire()).isPresent();
  }

  @Test
  void reentrant_ownerAsksTwiceAtOnce_entersTwice() throws Exception {
    RedisLocks locks = open();
    LockHandle first = open().mutex("a").acquire();
    OwnedLock mine = locks.reentrant("a").ownedBy("request-1");
    CompletableFuture<LockHandle> one = future(mine.acquireAsync());
    CompletableFuture<LockHandle> two = future(mine.acquireAsync());
    assertThat(get(mine.tryAcquireAsync(Duration.ofMillis(30)))).isEmpty();
    CompletableFuture<LockHandle> three = future(mine.acquireAsync());
    three.cancel(false);

    first.close();

    assertThat(get(one).fencingToken()).isEqualTo(get(two).fencingToken());
    assertThat(get(one).release()).isEqualTo(ReleaseOutcome.STILL_HELD);
    assertThat(get(two).release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  @Test
  void reentrant_afterALoss_throwsInsteadOfEntering() throws InterruptedException {
    RedisLocks locks = open();
    LockHandle outer = locks.reentrant("a").withLease(Duration.ofMillis(50)).acquire();
    await().until(() -> !outer.isHeld());

    assertThatThrownBy(() -> locks.reentrant("a").tryAcquire())
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("'a'");
    assertThat(outer.release()).isEqualTo(ReleaseOutcome.LOST);
    try (LockHandle again = locks.reentrant("a").acquire()) {
      assertThat(again.isHeld()).isTrue();
    }
  }

  @Test
  void reentrant_lostBeforeTheOwnersSecondQuestionEnters_fails() throws Exception {
    Duration lease = Duration.ofMillis(50);
    RedisLocks locks =
        open(
            builder()
                .listener(
                    event -> {
                      if (event instanceof LockEvent.Acquired) {
                        await().pollDelay(lease.multipliedBy(2)).until(() -> true);
                      }
                    }));
    LockHandle first = open().mutex("a").acquire();
    OwnedLock mine = locks.reentrant("a").ownedBy("request-1").withLease(lease);
    CompletableFuture<LockHandle> one = future(mine.acquireAsync());
    CompletableFuture<LockHandle> two = future(mine.acquireAsync());
    first.close();

    assertThat(one).succeedsWithin(WAIT).matches(handle -> !handle.isHeld());
    assertThat(two)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(LockLostException.class);
    get(one).close();
  }

  @Test
  void reentrant_foundLostAtItsRelease_tellsSo() throws InterruptedException {
    RedisLocks locks = open(builder().executor(Runnable::run));
    AtomicInteger told = new AtomicInteger();
    LockHandle handle = locks.reentrant("a").acquire();
    handle.onLost(lost -> told.incrementAndGet());
    locks.forceRelease(LockKind.MUTEX, "a");

    assertThat(handle.release()).isEqualTo(ReleaseOutcome.LOST);

    await().untilAsserted(() -> assertThat(told).hasValue(1));
  }

  @Test
  void reentrant_interruptedBefore_isNotEntered() throws InterruptedException {
    RedisLocks locks = open();
    Lock lock = locks.mutex("a").asLock();
    Lock read = locks.readWrite("a").asReadWriteLock().readLock();
    lock.lock();
    read.lock();

    Thread.currentThread().interrupt();
    assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> read.tryLock(60, TimeUnit.SECONDS))
        .isInstanceOf(InterruptedException.class);

    lock.unlock();
    read.unlock();
    assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
    assertThat(locks.find(LockKind.READ_WRITE, "a")).isEmpty();
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void reentrant_virtualThreads_areOwnersOfTheirOwn() throws Exception {
    RedisLocks locks = open();
    AtomicInteger inside = new AtomicInteger();
    ExecutorService threads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(
          threads.submit(
              () -> {
                Lock lock = locks.mutex("a").asLock();
                lock.lock();
                lock.lock();
                assertThat(inside.incrementAndGet()).isOne();
                inside.decrementAndGet();
                lock.unlock();
                lock.unlock();
              }));
    }
    for (Future<?> one : all) {
      one.get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
  }

  @Test
  void tryLock_forTheLongestTimeThereIs_isNoError() throws InterruptedException {
    RedisLocks locks = open();
    Lock lock = locks.mutex("a").asLock();
    Lock write = locks.readWrite("a").asReadWriteLock().writeLock();

    assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
    assertThat(write.tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS)).isTrue();
    assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).as("again").isTrue();

    lock.unlock();
    lock.unlock();
    write.unlock();
  }

  @Test
  void lock_isReentrantByThread() throws Exception {
    RedisLocks locks = open();
    Lock lock = locks.mutex("a").asLock();
    lock.lock();
    lock.lockInterruptibly();
    assertThat(locks.mutex("a").asLock().tryLock()).as("another view of it").isTrue();

    assertThat(elsewhere(() -> lock.tryLock())).isFalse();
    assertThat(elsewhere(() -> lock.tryLock(20, TimeUnit.MILLISECONDS))).isFalse();
    lock.unlock();
    lock.unlock();
    assertThat(elsewhere(() -> lock.tryLock())).isFalse();
    lock.unlock();
    assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("'a'");
  }

  @Test
  void lock_misused_saysSo() throws Exception {
    Lock lock = open().fair("a").asLock();
    lock.lock();

    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(
            () ->
                elsewhere(
                    () -> {
                      lock.unlock();
                      return null;
                    }))
        .hasCauseInstanceOf(IllegalMonitorStateException.class);
    lock.unlock();
  }

  @Test
  void unlock_afterALoss_throws() {
    RedisLocks locks = open();
    Lock lock = locks.mutex("a").asLock();
    lock.lock();
    locks.forceRelease(LockKind.MUTEX, "a");

    assertThatThrownBy(lock::unlock)
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("'a'");
    lock.lock();
    lock.unlock();
  }

  @Test
  void lock_interrupted_goesOnAndKeepsTheFlag() throws Exception {
    RedisLocks locks = open();
    LockHandle first = open().mutex("a").acquire();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              Lock lock = locks.mutex("a").asLock();
              lock.lock();
              flag.complete(Thread.interrupted());
              lock.unlock();
            });
    waiter.start();
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") == 1);
    waiter.interrupt();
    first.close();

    assertThat(flag.get(60, TimeUnit.SECONDS)).isTrue();
    waiter.join();
    assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
  }
}
