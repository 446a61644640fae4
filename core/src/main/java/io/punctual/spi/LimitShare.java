package io.punctual.spi;

import io.punctual.QueueLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A partition's share of its queue's limits, and the arithmetic of a token bucket with one stored
 * number. Each delivered message costs a token. Tokens arrive at an even pace, and the bucket holds
 * up to {@link #burst} tokens. The stored number is the time at which the bucket is full again, by
 * the store's clock; a time in the past means a full bucket.
 *
 * <p>The costs are rounded up to microseconds, so that a queue never delivers more than its limit.
 * If the clock steps back, the bucket counts as empty at most. Immutable.
 *
 * @param tokens the number of tokens that arrive in {@link #perMicros}; 0 without a limit of the
 *     rate
 * @param perMicros the time in microseconds in which {@link #tokens} arrive
 * @param burst the largest number of tokens in the bucket
 * @param concurrency the largest number of leased messages of the partition, or {@link
 *     Integer#MAX_VALUE}
 */
public record LimitShare(int tokens, long perMicros, int burst, int concurrency) {
  /**
   * Returns the share of a partition. The shares of all partitions add up to the limits.
   *
   * @param index the index of the partition, from 0
   * @param partitions the queue's number of partitions
   */
  public static LimitShare of(QueueLimits limits, int index, int partitions) {
    return new LimitShare(
        limits.rate(),
        micros(limits.per()) * partitions,
        part(limits.burst(), index, partitions),
        limits.hasConcurrency()
            ? part(limits.concurrency(), index, partitions)
            : Integer.MAX_VALUE);
  }

  private static int part(int whole, int index, int partitions) {
    return whole / partitions + (index < whole % partitions ? 1 : 0);
  }

  /**
   * Checks that each partition has a share.
   *
   * @throws IllegalArgumentException if the burst or the concurrency is lower than the number of
   *     partitions
   */
  public static void check(QueueLimits limits, int partitions, String queue) {
    if (limits.hasRate()) {
      check(limits.burst(), partitions, queue, "burst");
    }
    if (limits.hasConcurrency()) {
      check(limits.concurrency(), partitions, queue, "concurrency");
    }
  }

  private static void check(int value, int partitions, String queue, String name) {
    if (value < partitions) {
      throw new IllegalArgumentException(
          "Queue '%s' has %d partitions, and each needs a share of the %s, which was %d. Use a %s of %d or more, or a queue with fewer partitions"
              .formatted(queue, partitions, name, value, name, partitions));
    }
  }

  /** Returns whether the rate is limited. */
  public boolean hasRate() {
    return tokens > 0;
  }

  /** Returns whether the concurrency is limited. */
  public boolean hasConcurrency() {
    return concurrency != Integer.MAX_VALUE;
  }

  /** Returns the number of tokens in the bucket, 0 or more. */
  public int available(long fullMicros, long nowMicros) {
    if (!hasRate()) {
      return Integer.MAX_VALUE;
    }
    return (int) ((cost(burst) - missing(fullMicros, nowMicros)) * tokens / perMicros);
  }

  /** Returns the time at which the bucket is full again after {@code taken} tokens were taken. */
  public long take(int taken, long fullMicros, long nowMicros) {
    return nowMicros + missing(fullMicros, nowMicros) + cost(taken);
  }

  /** Returns the microseconds until the bucket has a token; 0 if it has a token now. */
  public long untilToken(long fullMicros, long nowMicros) {
    return hasRate() ? Math.max(0, missing(fullMicros, nowMicros) + cost(1) - cost(burst)) : 0;
  }

  /** Returns the time at which the bucket has a token, which may have passed. */
  public long tokenMicros(long fullMicros) {
    return fullMicros + cost(1) - cost(burst);
  }

  /** Returns the time that must pass until the bucket is full, in microseconds. */
  private long missing(long fullMicros, long nowMicros) {
    return Math.max(0, Math.min(fullMicros - nowMicros, cost(burst)));
  }

  /** Returns the time in which this number of tokens arrive, in microseconds, rounded up. */
  private long cost(long number) {
    return (number * perMicros + tokens - 1) / tokens;
  }

  /**
   * Returns limits as four numbers: rate, time in microseconds, burst and concurrency. Stores can
   * keep this text.
   */
  public static String text(QueueLimits limits) {
    return limits.rate()
        + " "
        + micros(limits.per())
        + " "
        + limits.burst()
        + " "
        + limits.concurrency();
  }

  /**
   * Reads the result of {@link #text}.
   *
   * @param text the text, or null for no limits
   * @throws IllegalArgumentException if it is not such a text
   */
  public static QueueLimits parse(@Nullable String text) {
    if (text == null) {
      return QueueLimits.none();
    }
    String[] parts = text.split(" ", -1);
    if (parts.length != 4) {
      throw new IllegalArgumentException("'" + text + "' are not the limits of a queue");
    }
    return limits(
        Integer.parseInt(parts[0]),
        Long.parseLong(parts[1]),
        Integer.parseInt(parts[2]),
        Integer.parseInt(parts[3]));
  }

  /** Returns limits with a time in microseconds. */
  public static QueueLimits limits(int rate, long perMicros, int burst, int concurrency) {
    return new QueueLimits(
        rate, Duration.ofNanos(Math.multiplyExact(perMicros, 1_000L)), burst, concurrency);
  }

  /** Returns a time in whole microseconds. */
  public static long micros(Duration time) {
    return time.toNanos() / 1_000;
  }
}
