package io.punctual.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * The earliest moment at which a partition may have a due message. A hint, the safety check and the
 * reply of a claim can only make the moment earlier; sending a claim clears it. So the reply of a
 * claim, which may be older than a hint, never overwrites that hint. Not thread-safe.
 */
final class WakeTime {
  private static final long FOREVER_MICROS = TimeUnit.DAYS.toMicros(365 * 50L);

  private boolean known;
  private long nanos;

  /**
   * Sets the moment to {@code untilNextMicros} from now if that is earlier; ignores times of 50
   * years or more.
   */
  void lower(long nowNanos, long untilNextMicros) {
    if (untilNextMicros >= FOREVER_MICROS) {
      return;
    }
    long at = nowNanos + TimeUnit.MICROSECONDS.toNanos(Math.max(0, untilNextMicros));
    if (!known || at - nanos < 0) {
      known = true;
      nanos = at;
    }
  }

  void clear() {
    known = false;
  }

  boolean isKnown() {
    return known;
  }

  boolean hasCome(long nowNanos) {
    return known && nanos - nowNanos <= 0;
  }

  /** Returns the moment on the timer's clock, which must be known. */
  long nanos() {
    return nanos;
  }
}
