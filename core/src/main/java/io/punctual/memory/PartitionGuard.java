package io.punctual.memory;

import io.punctual.embedded.SlotScan;
import io.punctual.spi.Partition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A partition's lock. Look-ups of every item run in steps, between which other callers get the
 * lock. Safe for use by many threads.
 */
final class PartitionGuard {
  /** How many slots are looked at in a step: some microseconds, or up to a millisecond to purge. */
  static final int STEP = 1024;

  /**
   * The pause between two steps, about the time that a waiting thread takes to wake up. Without it,
   * the look-up takes the lock again before that thread does.
   */
  private static final long PAUSE_NANOS = 50_000;

  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;

  <T> T inside(Supplier<T> action) {
    lock.lock();
    try {
      if (closed) {
        throw new Partition.NotSentException("The memory store has been closed", null);
      }
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Passes all slots below {@code end} to {@code scan}, under the lock in each step. */
  void inSteps(int end, SlotScan scan) {
    for (int from = 0; from < end; from += STEP) {
      int start = from;
      inside(
          () -> {
            scan.visit(start, Math.min(start + STEP, end));
            return true;
          });
      if (lock.hasQueuedThreads()) {
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
