package io.punctual;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * The limits of a queue's claims, for all consumers of all processes together. The store enforces
 * them in the same step as the claim. Immutable.
 *
 * <pre>{@code
 * queue.setLimits(QueueLimits.none().rate(100, Duration.ofSeconds(1), 20).concurrency(10));
 * }</pre>
 *
 * @param rate the number of messages that consumers receive in each {@code per} on average, 1 to
 *     {@link #MAX_RATE}; 0 without a limit of the rate
 * @param per the length of time for {@code rate}, {@link #MIN_PER} to {@link #MAX_PER}, in whole
 *     microseconds; zero without a limit of the rate
 * @param burst the number of messages that consumers can receive at once after an idle time, 1 to
 *     {@link #MAX_BURST}. In any span of time they receive at most {@code burst} messages plus the
 *     messages that the rate allows in that span. 0 without a limit of the rate
 * @param concurrency the largest number of leased messages, 1 to {@link #MAX_CONCURRENCY}; 0
 *     without a limit of the concurrency
 */
public record QueueLimits(int rate, Duration per, int burst, int concurrency) {
  /** The largest rate: a million messages. */
  public static final int MAX_RATE = 1_000_000;

  /** The shortest time for a rate: a millisecond. */
  public static final Duration MIN_PER = Duration.ofMillis(1);

  /** The longest time for a rate: a day. */
  public static final Duration MAX_PER = Duration.ofDays(1);

  /** The largest burst: 100,000 messages. */
  public static final int MAX_BURST = 100_000;

  /** The largest limit of the concurrency: a million messages. */
  public static final int MAX_CONCURRENCY = 1_000_000;

  private static final QueueLimits NONE = new QueueLimits(0, Duration.ZERO, 0, 0);

  /**
   * Rejects values that are out of range, and drops the part of {@code per} below a microsecond.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public QueueLimits {
    Objects.requireNonNull(per, "per");
    per = per.truncatedTo(ChronoUnit.MICROS);
    if (rate != 0 || burst != 0 || !per.isZero()) {
      range(rate, MAX_RATE, "The rate");
      range(burst, MAX_BURST, "The burst");
      if (per.compareTo(MIN_PER) < 0 || per.compareTo(MAX_PER) > 0) {
        throw new IllegalArgumentException(
            "A rate counts messages per 1 ms to 1 day, but the time was " + per);
      }
    }
    if (concurrency != 0) {
      range(concurrency, MAX_CONCURRENCY, "The concurrency");
    }
  }

  private static void range(int value, int most, String name) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          name
              + " must be between 1 and "
              + most
              + ", but was "
              + value
              + "; QueueLimits.none() removes the limits, and TimedQueue.pause() stops all claims");
    }
  }

  /** Returns limits that limit nothing. */
  public static QueueLimits none() {
    return NONE;
  }

  /**
   * Returns these limits with a limit of the rate.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public QueueLimits rate(int messages, Duration per, int burst) {
    range(messages, MAX_RATE, "The rate");
    return new QueueLimits(messages, per, burst, concurrency);
  }

  /**
   * Returns these limits with a limit of the concurrency. A message counts from its claim until it
   * is settled, even if its lease expires.
   *
   * @throws IllegalArgumentException if the value is out of range
   */
  public QueueLimits concurrency(int messages) {
    range(messages, MAX_CONCURRENCY, "The concurrency");
    return new QueueLimits(rate, per, burst, messages);
  }

  /** Returns whether the rate is limited. */
  public boolean hasRate() {
    return rate > 0;
  }

  /** Returns whether the concurrency is limited. */
  public boolean hasConcurrency() {
    return concurrency > 0;
  }

  /**
   * Returns the limits as a text such as {@code rate 100 per PT1S, burst 20, concurrency 10};
   * {@code none} without limits.
   */
  @Override
  public String toString() {
    if (equals(NONE)) {
      return "none";
    }
    String rates = hasRate() ? "rate " + rate + " per " + per + ", burst " + burst : "";
    String separator = hasRate() && hasConcurrency() ? ", " : "";
    return rates + separator + (hasConcurrency() ? "concurrency " + concurrency : "");
  }
}
