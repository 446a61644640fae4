package io.punctual.spi;

import io.punctual.QueueLimits;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A partition's share of its queue's limits, and the arithmetic of a token bucket with one stored
 * number. Each delivered message costs a token. Tokens arrive at an even pace. The stored number is
 * the time at which the bucket is full again, by the store's clock; a time in the past means a full
 * bucket.
 *
 * <p>Shares are fractions of the limits, in units: each partition of a queue begins with {@link
 * #UNITS}. An empty bucket becomes full after the same time in every partition, independent of its
 * share.
 *
 * <p>The times in which tokens arrive are rounded up to microseconds, so that a queue never
 * delivers more than its limit. However far the clock steps back, the bucket counts as empty at
 * worst. Immutable.
 *
 * @param tokens the number of tokens that arrive in {@link #perMicros}; 0 without a limit of the
 *     rate, and for a partition that has given its whole share away
 * @param perMicros the time in microseconds in which {@link #tokens} arrive; 0 without a limit of
 *     the rate
 * @param bucketMicros the time in microseconds in which an empty bucket becomes full
 * @param concurrency the largest number of leased messages of the partition, or {@link
 *     Integer#MAX_VALUE} without a limit of the concurrency
 */
public record LimitShare(double tokens, double perMicros, long bucketMicros, int concurrency) {
  /**
   * The share with which each partition begins, in units. Greater than every limit of the
   * concurrency, so that shares can be rounded to whole messages without loss.
   */
  public static final long UNITS = 1 << 20;

  /**
   * Returns the share of a partition that has given and received no share.
   *
   * @param partitions the queue's number of partitions
   */
  public static LimitShare of(QueueLimits limits, int partitions) {
    return of(limits, UNITS, UNITS, partitions);
  }

  /** Returns the share of a partition after the transfers that its ledger records. */
  public static LimitShare of(QueueLimits limits, ShareLedger ledger, int partitions) {
    return of(limits, ledger.rate().units(), ledger.places().units(), partitions);
  }

  /**
   * Returns the share for these units. The shares of all partitions together never exceed the
   * limits, as long as their units together do not exceed {@link #UNITS} times the number of
   * partitions.
   *
   * @param rateUnits the units of the rate and of the burst, from 0
   * @param placeUnits the units of the concurrency, from 0
   * @param partitions the queue's number of partitions
   */
  public static LimitShare of(QueueLimits limits, long rateUnits, long placeUnits, int partitions) {
    long all = UNITS * partitions;
    double perMicros = micros(limits.per());
    return new LimitShare(
        (double) limits.rate() * rateUnits,
        perMicros * all,
        limits.hasRate() ? (long) Math.ceil(limits.burst() * perMicros / limits.rate()) : 0,
        limits.hasConcurrency()
            ? (int) places(limits.concurrency(), placeUnits, partitions)
            : Integer.MAX_VALUE);
  }

  /**
   * Returns the number of leased messages that a share of the concurrency allows. The number is
   * rounded up only if less than {@code 1 / partitions} of a message is missing. So all partitions
   * together round up by less than one message, and their sum is at most the limit.
   */
  private static long places(long concurrency, long units, int partitions) {
    return units == 0 ? 0 : (concurrency * units + UNITS - 1) / (UNITS * partitions);
  }

  /**
   * Returns the smallest share, in units, that allows {@code places} leased messages.
   *
   * @param concurrency the limit of the queue
   * @param partitions the queue's number of partitions
   */
  public static long unitsOfPlaces(long places, int concurrency, int partitions) {
    return places == 0
        ? 0
        : (places * UNITS * partitions - (UNITS - 1) + concurrency - 1) / concurrency;
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
          String.format(
              Locale.ROOT,
              "Queue '%s' has %d partitions, and each needs a share of the %s, which was %d. Use a"
                  + " %s of %d or more, or a queue with fewer partitions",
              queue,
              partitions,
              name,
              value,
              name,
              partitions));
    }
  }

  /** Returns whether the rate is limited. */
  public boolean hasRate() {
    return perMicros > 0;
  }

  /** Returns whether the concurrency is limited. */
  public boolean hasConcurrency() {
    return concurrency != Integer.MAX_VALUE;
  }

  /**
   * Returns the number of tokens in the bucket, 0 or more; {@link Integer#MAX_VALUE} without a
   * limit of the rate.
   */
  public int available(long fullMicros, long nowMicros) {
    return hasRate()
        ? (int) (credit(fullMicros, nowMicros) * tokens / perMicros)
        : Integer.MAX_VALUE;
  }

  /** Returns the time at which the bucket is full again after {@code taken} tokens were taken. */
  public long take(int taken, long fullMicros, long nowMicros) {
    return nowMicros + missing(fullMicros, nowMicros) + (taken == 0 ? 0 : cost(taken));
  }

  /**
   * Returns the microseconds until the bucket has a token; 0 if it has a token now, or without a
   * limit of the rate; {@link Reply#NONE} if no token arrives.
   */
  public long untilToken(long fullMicros, long nowMicros) {
    if (!hasRate()) {
      return 0;
    }
    return cost(1) > bucketMicros
        ? Reply.NONE
        : Math.max(0, cost(1) - credit(fullMicros, nowMicros));
  }

  /**
   * Returns the time at which the bucket has a token, which may have passed; {@link Reply#NONE} if
   * no token arrives.
   */
  public long tokenMicros(long fullMicros) {
    return cost(1) > bucketMicros ? Reply.NONE : fullMicros + cost(1) - bucketMicros;
  }

  /**
   * Returns the time at which the bucket is full again, after the partition's share has changed to
   * this share. The bucket keeps its tokens, as far as they fit into its new size.
   *
   * @param before the share before the change, of the same limits
   */
  public long settle(LimitShare before, long fullMicros, long nowMicros) {
    long credit = 0;
    if (tokens > 0) {
      double kept = before.credit(fullMicros, nowMicros) * before.tokens / tokens;
      credit = (long) Math.min((double) bucketMicros, kept);
    }
    return nowMicros + bucketMicros - credit;
  }

  /**
   * Returns the tokens in the bucket, as the time in microseconds in which an empty bucket gets
   * them.
   */
  private long credit(long fullMicros, long nowMicros) {
    return bucketMicros - missing(fullMicros, nowMicros);
  }

  /** Returns the time that must pass until the bucket is full, in microseconds. */
  private long missing(long fullMicros, long nowMicros) {
    return Math.max(0, Math.min(fullMicros - nowMicros, bucketMicros));
  }

  /** Returns the time in which this number of tokens arrive, in microseconds, rounded up. */
  private long cost(long number) {
    return (long) Math.ceil(number * perMicros / tokens);
  }

  /**
   * Returns limits as a text of four numbers, separated by spaces: rate, {@link QueueLimits#per} in
   * microseconds, burst and concurrency. Stores can keep this text.
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
   * @throws IllegalArgumentException if the text is not a result of {@link #text}
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

  /** Returns limits with a {@link QueueLimits#per} in microseconds. */
  public static QueueLimits limits(int rate, long perMicros, int burst, int concurrency) {
    return new QueueLimits(
        rate, Duration.ofNanos(Math.multiplyExact(perMicros, 1_000L)), burst, concurrency);
  }

  /** Returns a time in microseconds, rounded down. */
  public static long micros(Duration time) {
    return time.toNanos() / 1_000;
  }
}
