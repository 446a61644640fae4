package io.punctual.spi;

import java.time.Instant;

/**
 * A range of times in milliseconds from 1970.
 *
 * @param fromMillis the first time in the range
 * @param toMillis the first time after the range; {@link Long#MAX_VALUE} for no end. A range that
 *     ends before it begins is empty
 */
public record TimeRange(long fromMillis, long toMillis) {
  /** A time before all entries. */
  private static final long NO_TIME = Long.MIN_VALUE;

  /** The range of all times. */
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  /**
   * Returns the range of the whole milliseconds from an instant, inclusive, to an instant,
   * exclusive.
   */
  public static TimeRange of(Instant from, Instant to) {
    return new TimeRange(millis(from), millis(to));
  }

  /** Returns the first millisecond at or after an instant. */
  private static long millis(Instant instant) {
    if (instant.isBefore(Instant.ofEpochMilli(Long.MIN_VALUE))) {
      return Long.MIN_VALUE;
    }
    return instant.isBefore(Instant.ofEpochMilli(Long.MAX_VALUE))
        ? instant.plusNanos(999_999).toEpochMilli()
        : Long.MAX_VALUE;
  }

  /**
   * Returns the last time in the range. Before {@link Long#MIN_VALUE} there is no time, so a range
   * that ends there has this time as its last, which no entry has.
   */
  public long lastMillis() {
    return toMillis == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(toMillis, NO_TIME + 1) - 1;
  }

  /** Returns whether the range contains no time of an entry. */
  public boolean isEmpty() {
    return fromMillis > lastMillis() || lastMillis() == NO_TIME;
  }
}
