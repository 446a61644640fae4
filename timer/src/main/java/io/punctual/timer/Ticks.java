package io.punctual.timer;

import java.util.function.LongSupplier;

/**
 * A monotonic clock in ticks since its first reading, so that it does not wrap around for 292
 * years. Safe for use by many threads if the underlying clock is.
 */
final class Ticks {
  private final LongSupplier clock;
  private final long origin;
  private final long nanos;

  /**
   * The binary logarithm of the tick's nanoseconds if they are a power of two, so that a shift
   * replaces a division; otherwise -1.
   */
  private final int shift;

  Ticks(LongSupplier clock, long nanos) {
    this.clock = clock;
    this.nanos = nanos;
    origin = clock.getAsLong();
    shift = Long.bitCount(nanos) == 1 ? Long.numberOfTrailingZeros(nanos) : -1;
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** Nanoseconds since the first reading; overflows after 292 years. */
  long elapsed() {
    return clock.getAsLong() - origin;
  }

  /** The tick that contains the moment {@code elapsed} nanoseconds after the first reading. */
  long at(long elapsed) {
    return shift >= 0 ? elapsed >> shift : Math.floorDiv(elapsed, nanos);
  }

  /**
   * The first tick that begins at least {@code delay} after {@code elapsed}; without a delay, the
   * tick that contains {@code elapsed}.
   */
  long due(long elapsed, long delay) {
    if (delay <= 0) {
      return at(elapsed);
    }
    long due = elapsed + delay;
    return due < 0 ? Long.MAX_VALUE : at(due - 1) + 1;
  }

  /** Nanoseconds from now until {@code tick} begins; zero or less if it has begun. */
  long nanosUntil(long tick) {
    long start = tick > Long.MAX_VALUE / nanos ? Long.MAX_VALUE : tick * nanos;
    return start - elapsed();
  }
}
