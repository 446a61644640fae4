package io.punctual.jdbc.partition;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when a search looks at all messages of a queue. All other searches begin about where the
 * last search stopped, because earlier index entries usually belong to deleted rows. While an old
 * snapshot is open, PostgreSQL keeps these entries, and MariaDB and MySQL do as well, so that each
 * sweep takes longer than the last. The sweeps therefore take at most a certain part of the time.
 * For a single thread at a time.
 */
final class SweepPace {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private final long shortestNanos;
  private final int factor;
  private long beganNanos;
  private long intervalNanos;

  /**
   * Creates an instance whose first sweep is due.
   *
   * @param shortestNanos the shortest interval between the beginnings of two sweeps, in nanoseconds
   * @param factor the interval, as a multiple of the duration of the last sweep
   */
  SweepPace(LongSupplier nanoTime, long shortestNanos, int factor) {
    this.nanoTime = nanoTime;
    this.shortestNanos = shortestNanos;
    this.factor = factor;
    beganNanos = nanoTime.getAsLong();
  }

  boolean isDue() {
    return nanoTime.getAsLong() - beganNanos >= intervalNanos;
  }

  void begin() {
    beganNanos = nanoTime.getAsLong();
    intervalNanos = shortestNanos;
  }

  void ended() {
    long took = nanoTime.getAsLong() - beganNanos;
    intervalNanos = Math.min(LONGEST_NANOS, Math.max(shortestNanos, factor * took));
  }
}
