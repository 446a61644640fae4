package io.punctual.deadletter;

import io.punctual.Limits;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The rule that decides which dead letters a queue keeps, by their age and number. The other dead
 * letters are deleted, and their payloads are lost. Immutable.
 *
 * <pre>{@code
 * DeadLetterRetention.KEEP_ALL.withMaxAge(Duration.ofDays(90)).withMaxCount(1_000_000)
 * }</pre>
 *
 * @param maxAge the time since the death after which a dead letter is deleted, by the store's
 *     clock, or empty to keep dead letters of any age
 * @param maxCount the largest number of dead letters of the queue; beyond it, the oldest are
 *     deleted
 */
public record DeadLetterRetention(Optional<Duration> maxAge, long maxCount) {
  /** Keeps every dead letter: the default. */
  public static final DeadLetterRetention KEEP_ALL =
      new DeadLetterRetention(Optional.empty(), Long.MAX_VALUE);

  /**
   * Creates a retention.
   *
   * @throws IllegalArgumentException if the age is below a second, or {@link Limits#DAYS} or more,
   *     or the count is negative
   */
  public DeadLetterRetention {
    Objects.requireNonNull(maxAge, "maxAge");
    if (maxAge.isPresent() && DueTime.delayMillis(maxAge.get()) < 1000) {
      throw new IllegalArgumentException(
          "maxAge must be at least a second, but was " + maxAge.get());
    }
    if (maxCount < 0) {
      throw new IllegalArgumentException("maxCount must not be negative, but was " + maxCount);
    }
  }

  /** Returns this retention with an age, from a second. */
  public DeadLetterRetention withMaxAge(Duration age) {
    return new DeadLetterRetention(Optional.of(age), maxCount);
  }

  /** Returns this retention with a number of dead letters, from 0. */
  public DeadLetterRetention withMaxCount(long count) {
    return new DeadLetterRetention(maxAge, count);
  }

  /** Returns whether every dead letter is kept. */
  public boolean keepsAll() {
    return equals(KEEP_ALL);
  }
}
