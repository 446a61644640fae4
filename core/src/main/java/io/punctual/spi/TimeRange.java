package io.punctual.spi;

/**
 * A range of times in milliseconds from 1970.
 *
 * @param fromMillis the first time in the range
 * @param toMillis the first time after the range; {@link Long#MAX_VALUE} for no end. A range that
 *     ends before it begins is empty
 */
public record TimeRange(long fromMillis, long toMillis) {
  /** The range of all times. */
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  /** Returns the last time in the range. */
  public long lastMillis() {
    return toMillis == Long.MAX_VALUE ? Long.MAX_VALUE : toMillis - 1;
  }

  /** Returns whether the range contains no time. */
  public boolean isEmpty() {
    return fromMillis > lastMillis();
  }
}
