package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests threads that acquire and release locks while their stacks are nearly used up. */
@SuppressWarnings("LockNotBeforeTry") // The tests check each lock() and unlock() by itself.
final class StackOverflowTest extends LockTestServer {
  private static final int LEVELS = 1_000;
  private static final long STACK_BYTES = 400_000;

  private RedisLocks locks;
  private int level;

  /** A use of the lock of this name, which ends with its release. */
  private interface Use {
    void of(String name) throws InterruptedException;
  }

  private void assertNothingIsLeftBy(Use use) throws Exception {
    assertNothingIsLeftBy(use, Runnable::run);
  }

  /** Like {@link #assertNothingIsLeftBy(Use)}; {@code around} runs the recursion. */
  private void assertNothingIsLeftBy(Use use, Consumer<Runnable> around) throws Exception {
    locks = open(builder().lease(LONG));
    for (int i = 0; i < 50; i++) {
      use.of("warm");
    }
    Thread thread = new Thread(null, () -> around.accept(() -> overflow(use)), "deep", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    thread.join(WAIT.toMillis());

    assertThat(level).isGreaterThan(LEVELS);
    await().untilAsserted(() -> assertThat(locks.counters().holding()).isZero());
    await().untilAsserted(() -> assertThat(locks.counters().waiting()).isZero());
    for (LockKind kind : List.of(LockKind.MUTEX, LockKind.READ_WRITE)) {
      assertThat(open().list(kind, 10)).isEmpty();
    }
  }

  /** Uses a lock at each of the lowest levels of an endless recursion, the deepest level first. */
  @SuppressWarnings({"InfiniteRecursion", "EmptyCatch"})
  private void overflow(Use use) {
    try {
      overflow(use);
    } catch (StackOverflowError expected) {
      // The levels above have more stack.
    }
    if (level++ > LEVELS) {
      return;
    }
    try {
      use.of("a");
    } catch (StackOverflowError | InterruptedException expected) {
      // The levels above have more stack.
    }
  }

  @Test
  void mutexes_areReleased() throws Exception {
    assertNothingIsLeftBy(
        name -> {
          try (LockHandle handle = locks.mutex(name).acquire()) {
            assertHeld(handle);
          }
        });
  }

  private static void assertHeld(LockHandle handle) {
    if (!handle.isHeld()) {
      throw new IllegalStateException("not held");
    }
  }

  @Test
  void severalLocks_areReleased() throws Exception {
    assertNothingIsLeftBy(
        name -> {
          try (LockHandle handle = locks.multi(List.of(name, "b")).acquire()) {
            assertHeld(handle);
          }
        });
  }

  @Test
  void locksOfThreads_areUnlocked() throws Exception {
    assertNothingIsLeftBy(
        name -> {
          Lock lock = locks.mutex(name).asLock();
          lock.lock();
          lock.unlock();
          Lock writes = locks.readWrite(name).asReadWriteLock().writeLock();
          if (writes.tryLock(WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
            writes.unlock();
          }
        });
  }

  @Test
  void entriesOfALockThatTheThreadHolds_end() throws Exception {
    Use use =
        name -> {
          Lock lock = locks.mutex(name).asLock();
          lock.lock();
          lock.unlock();
          OwnedLock owned = locks.reentrant(name);
          owned.acquire().close();
        };
    assertNothingIsLeftBy(
        use,
        recursion -> {
          Lock lock = locks.mutex("a").asLock();
          lock.lock();
          recursion.run();
          lock.unlock();
        });
  }

  @Test
  void entriesOfAReadWriteLockThatTheThreadHolds_end() throws Exception {
    Use use =
        name -> {
          ReadWriteLock lock = locks.readWrite(name).asReadWriteLock();
          lock.writeLock().lock();
          try {
            lock.readLock().lock();
            lock.readLock().unlock();
          } finally {
            lock.writeLock().unlock();
          }
        };
    assertNothingIsLeftBy(
        use,
        recursion -> {
          Lock lock = locks.readWrite("a").asReadWriteLock().writeLock();
          lock.lock();
          recursion.run();
          lock.unlock();
        });
  }

  @Test
  void futures_areCancelledOrReleased() throws Exception {
    assertNothingIsLeftBy(
        name -> {
          CompletableFuture<?> unused =
              future(locks.mutex(name).acquireAsync()).thenCompose(LockHandle::releaseAsync);
        });
  }
}
