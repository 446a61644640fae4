package io.punctual.lock.internal.client;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time that a suspended machine has missed. The monotonic clock of Linux and macOS stands still
 * while the machine is suspended, but leases on a server go on. The wall clock goes on, too; so a
 * step of the wall clock ahead counts as a suspension. A step back does not count. Thread-safe.
 */
final class ElapsedTime {
  /** A smaller step is a rounding, or a correction of the wall clock. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;

  /** How far the wall clock was ahead of the monotonic clock. */
  private long aheadNanos;

  private long missedNanos;

  ElapsedTime(LongSupplier wallMillis, LongSupplier nanoTime) {
    this.wallMillis = wallMillis;
    this.nanoTime = nanoTime;
    aheadNanos = ahead();
  }

  /**
   * Compares the clocks. If the thread was paused between the two readings, reads both again, so
   * that the pause does not count as a suspension.
   */
  private long ahead() {
    while (true) {
      long before = nanoTime.getAsLong();
      long wall = TimeUnit.MILLISECONDS.toNanos(wallMillis.getAsLong());
      long after = nanoTime.getAsLong();
      if (after - before < TOLERANCE_NANOS / 2) {
        return wall - after;
      }
    }
  }

  /** Returns the sum of all suspensions until now, in nanoseconds. */
  synchronized long missedNanos() {
    long ahead = ahead();
    long step = ahead - aheadNanos;
    if (Math.abs(step) > TOLERANCE_NANOS) {
      missedNanos += Math.max(0, step);
      aheadNanos = ahead;
    }
    return missedNanos;
  }
}
