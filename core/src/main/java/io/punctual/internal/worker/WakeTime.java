package io.punctual.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * The earliest moment at which a partition may have a due message. A hint, the safety check and the
 * reply of a claim can only lower it; sending a claim clears it. So the reply of a claim, which may
 * be older than a hint, never overwrites that hint. Not thread-safe.
 */
final class WakeTime {
  private static final long FOREVER_MICROS = TimeUnit.DAYS.toMicros(365 * 50L);

  private boolean known;
  private long nanos;

  /** Lowers the moment to {@code untilNextMicros} from now; ignores times beyond 50 years. */
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

  /** Returns the moment by the timer's clock, if it is known. */
  long nanos() {
    return nanos;
  }
}
