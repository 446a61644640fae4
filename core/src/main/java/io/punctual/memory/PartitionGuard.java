package io.punctual.memory;

import io.punctual.embedded.SlotScan;
import io.punctual.spi.Partition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A partition's lock. Scans of all items run in steps, and other callers can get the lock between
 * two steps. Safe for use by many threads.
 */
final class PartitionGuard {
  /**
   * The number of slots of a step, which takes some microseconds, or up to a millisecond for a
   * purge.
   */
  static final int STEP = 1024;

  /**
   * The pause between two steps if other threads wait for the lock, about the time that such a
   * thread takes to wake up. Without the pause, the scan would take the lock again before these
   * threads.
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

  /** Passes all slots below {@code end} to {@code scan}, and holds the lock during each step. */
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
