package io.punctual.lock.internal.kind;

import io.punctual.lock.LockLostException;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.protocol.LockOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A mutex as Java's interface, reentrant by thread. Thread-safe. */
final class ThreadLock implements Lock {
  private final ReentrantMutex mutex;

  ThreadLock(ReentrantMutex mutex) {
    this.mutex = mutex;
  }

  @Override
  @SuppressWarnings("MustBeClosed") // unlock() releases the lock.
  public void lock() {
    mutex.acquireUninterruptibly();
  }

  @Override
  @SuppressWarnings("MustBeClosed") // unlock() releases the lock.
  public void lockInterruptibly() throws InterruptedException {
    mutex.acquire();
  }

  @Override
  public boolean tryLock() {
    return mutex.tryAcquire().isPresent();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return mutex.tryAcquire(LockOptions.wait(time, unit)).isPresent();
  }

  @Override
  public void unlock() {
    ReleaseOutcome outcome = mutex.leave();
    if (outcome == null) {
      throw new IllegalMonitorStateException(
          "Lock '" + mutex.name() + "' is not held by " + Thread.currentThread());
    }
    if (outcome == ReleaseOutcome.LOST) {
      throw new LockLostException(
          "Lock '"
              + mutex.name()
              + "' was lost before it was unlocked; a different handle may have held it");
    }
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "A distributed lock has no conditions; wait for the condition in the guarded resource");
  }
}
