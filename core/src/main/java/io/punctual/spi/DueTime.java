package io.punctual.spi;

import io.punctual.Due;
import io.punctual.Limits;
import java.time.Duration;
import java.time.Instant;

/**
 * A {@link Due} in whole milliseconds, rounded up, as stores receive it.
 *
 * @param isDelay whether {@code millis} counts from the time at which the store executes the
 *     operation; otherwise it counts from 1970
 * @param millis the delay (0 or more) or the instant
 */
public record DueTime(boolean isDelay, long millis) {
  private static final long RANGE_MILLIS = Limits.DAYS * 86_400_000L;

  /** A delay of zero. */
  public static final DueTime NOW = new DueTime(true, 0);

  /**
   * Returns {@code due} in milliseconds. A negative delay counts as zero.
   *
   * @throws IllegalArgumentException if the delay, or the distance of the instant from 1970, is
   *     {@link Limits#DAYS} days or more
   */
  public static DueTime of(Due due) {
    if (due instanceof Due.After after) {
      return new DueTime(true, delayMillis(after.delay()));
    }
    return new DueTime(false, instantMillis(((Due.At) due).instant()));
  }

  /**
   * Returns the milliseconds of a delay, rounded up; a negative delay is 0.
   *
   * @throws IllegalArgumentException if the delay is not shorter than {@link Limits#DAYS}
   */
  public static long delayMillis(Duration delay) {
    if (delay.isNegative()) {
      return 0;
    }
    if (delay.toDays() >= Limits.DAYS) {
      throw new IllegalArgumentException(
          "A delay must be shorter than " + Limits.DAYS + " days, but was " + delay);
    }
    return delay.plusNanos(999_999).toMillis();
  }

  /**
   * Returns the milliseconds from 1970 of an instant, rounded up.
   *
   * @throws IllegalArgumentException if the instant is {@link Limits#DAYS} or more from 1970
   */
  public static long instantMillis(Instant instant) {
    if (Math.abs(instant.getEpochSecond()) >= RANGE_MILLIS / 1000) {
      throw new IllegalArgumentException(
          "A due time must be less than " + Limits.DAYS + " days from 1970, but was " + instant);
    }
    return instant.plusNanos(999_999).toEpochMilli();
  }

  /**
   * Returns the due time in milliseconds from 1970, rounded up. Without a delay, it is the current
   * millisecond, so that the message can be claimed at once.
   *
   * @param engineMicros the store's clock now, in microseconds from 1970
   */
  public long atMillis(long engineMicros) {
    if (!isDelay) {
      return millis;
    }
    return Math.floorDiv(millis == 0 ? engineMicros : engineMicros + 999, 1000) + millis;
  }
}
