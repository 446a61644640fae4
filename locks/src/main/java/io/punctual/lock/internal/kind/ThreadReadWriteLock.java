package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.LockLostException;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.client.StackRoom;
import io.punctual.lock.internal.kind.ThreadReadWriteHolds.Holding;
import io.punctual.lock.internal.protocol.LockOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read-write lock as Java's interface, reentrant by thread. A thread has a single handle on the
 * server, either of a writer or of a reader, and counts its read and write holds. Thread-safe.
 */
final class ThreadReadWriteLock implements ReadWriteLock {
  private final ThreadReadWriteHolds threads;
  private final ServerReadWriteLock lock;

  ThreadReadWriteLock(ThreadReadWriteHolds threads, ServerReadWriteLock lock) {
    this.threads = threads;
    this.lock = lock;
  }

  @Override
  public Lock readLock() {
    return new Side(false);
  }

  @Override
  public Lock writeLock() {
    return new Side(true);
  }

  private final class Side implements Lock {
    private final boolean writes;

    Side(boolean writes) {
      this.writes = writes;
    }

    private AbstractLock asked() {
      return (AbstractLock) (writes ? lock.write() : lock.read());
    }

    /**
     * Enters the lock again if the thread holds it; returns false if the thread does not hold it.
     * Throws if the thread has lost the lock, or holds only the read lock and requests the write
     * lock.
     */
    private boolean reenters() {
      Holding holding = threads.find(lock.name());
      if (holding == null) {
        return false;
      }
      if (!holding.handle.isHeld()) {
        throw new LockLostException(
            "Lock '" + lock.name() + "' was lost; unlock it before it is locked again");
      }
      if (writes && holding.writes == 0) {
        throw new IllegalMonitorStateException(
            "Lock '"
                + lock.name()
                + "' cannot be upgraded: unlock the read lock, lock the write lock, read again");
      }
      StackRoom.requireForAcquisition();
      count(holding, 1);
      return true;
    }

    /**
     * Returns whether this thread asks for the write lock while it holds only the read lock. Its
     * own read lock would block this request.
     */
    private boolean isUpgrade() {
      Holding holding = threads.find(lock.name());
      return writes && holding != null && holding.writes == 0 && holding.handle.isHeld();
    }

    private boolean acquired(Optional<LockHandle> got) {
      got.ifPresent(handle -> count(threads.add(lock.name(), handle), 1));
      return got.isPresent();
    }

    private void count(Holding holding, int change) {
      if (writes) {
        holding.writes += change;
      } else {
        holding.reads += change;
      }
    }

    @Override
    public void lock() {
      if (!reenters()) {
        acquired(Optional.of(asked().acquireUninterruptibly()));
      }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      AbstractLock.heedInterrupt();
      if (!reenters()) {
        acquired(Optional.of(asked().acquire()));
      }
    }

    @Override
    public boolean tryLock() {
      return !isUpgrade() && (reenters() || acquired(asked().tryAcquire()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      AbstractLock.heedInterrupt();
      return !isUpgrade()
          && (reenters() || acquired(asked().tryAcquire(LockOptions.wait(time, unit))));
    }

    @Override
    public void unlock() {
      Holding holding = threads.find(lock.name());
      if (holding == null || (writes ? holding.writes : holding.reads) == 0) {
        throw new IllegalMonitorStateException(
            "Lock '" + lock.name() + "' is not held by " + Thread.currentThread());
      }
      StackRoom.requireForUnlock();
      count(holding, -1);
      if (isLost(holding)) {
        throw new LockLostException(
            "Lock '"
                + lock.name()
                + "' was lost before it was unlocked; a different handle may have held it");
      }
    }

    private boolean isLost(Holding holding) {
      if (holding.reads + holding.writes == 0) {
        threads.remove(lock.name());
        return holding.handle.release() == ReleaseOutcome.LOST;
      }
      if (writes && holding.writes == 0) {
        return lock.downgrade(holding.handle).map(reader -> keep(holding, reader)).isEmpty();
      }
      return !holding.handle.isHeld();
    }

    private LockHandle keep(Holding holding, LockHandle reader) {
      holding.handle = reader;
      return reader;
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException(
          "A distributed lock has no conditions; wait for the condition in the guarded resource");
    }
  }
}
