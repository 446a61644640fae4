package io.punctual.internal.runtime;

import static java.time.temporal.ChronoUnit.MICROS;

import io.punctual.Lateness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The implementation of {@link Lateness}. The first four buckets have a width of {@link #UNIT}
 * microseconds; from there on, each doubling of the lateness has four buckets of equal width. The
 * last bucket has no end. Immutable.
 */
public final class LatenessHistogram implements Lateness {
  /** The number of buckets. */
  public static final int BUCKETS = 144;

  public static final LatenessHistogram EMPTY = new LatenessHistogram(new long[0], 0);

  /** The width of the narrowest buckets, in microseconds. */
  private static final int UNIT = 64;

  private static final int LAST = BUCKETS - 1;

  private final long[] counts;
  private final long count;
  private final long maxMicros;

  private LatenessHistogram(long[] counts, long maxMicros) {
    long sum = 0;
    long max = maxMicros;
    for (int i = 0; i < counts.length; i++) {
      sum += counts[i];
      max = counts[i] == 0 ? max : Math.max(max, start(i));
    }
    this.counts = counts;
    this.count = sum;
    this.maxMicros = max;
  }

  /**
   * Returns a histogram.
   *
   * @param counts the number of messages of each bucket, not negative, at most {@link #BUCKETS}
   * @param maxMicros the greatest lateness, which another thread may not have noted yet
   */
  public static LatenessHistogram of(long[] counts, long maxMicros) {
    return new LatenessHistogram(counts.clone(), maxMicros);
  }

  /** Adds histograms up. */
  public static LatenessHistogram sum(Collection<? extends Lateness> parts) {
    long[] counts = new long[BUCKETS];
    long max = 0;
    for (Lateness part : parts) {
      for (Bucket bucket : part.buckets()) {
        counts[bucketOf(micros(bucket.from()))] += bucket.count();
      }
      max = Math.max(max, micros(part.max()));
    }
    return new LatenessHistogram(counts, max);
  }

  private static long micros(Duration time) {
    return TimeUnit.MICROSECONDS.convert(time);
  }

  /** Returns the index of the bucket of a lateness in microseconds, not negative. */
  static int bucketOf(long micros) {
    long units = micros / UNIT;
    if (units < 4) {
      return (int) units;
    }
    int exponent = 63 - Long.numberOfLeadingZeros(units);
    int quarter = (int) (units >> (exponent - 2)) & 3;
    return Math.min(LAST, 4 * (exponent - 1) + quarter);
  }

  /** Returns the beginning of a bucket in microseconds. */
  static long start(int bucket) {
    return UNIT * (bucket < 4 ? bucket : (4L + bucket % 4) << (bucket / 4 - 1));
  }

  private long end(int bucket) {
    return bucket == LAST ? Math.max(start(LAST) + 1, maxMicros + 1) : start(bucket + 1);
  }

  /** Returns the number of messages in a bucket. */
  public long count(int bucket) {
    return bucket < counts.length ? counts[bucket] : 0;
  }

  public long maxMicros() {
    return maxMicros;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public Duration percentile(double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException(
          "A percentage is more than 0 and at most 100, but was " + percent);
    }
    long rank = (long) Math.ceil(count * percent / 100);
    for (int i = 0; i < counts.length; i++) {
      rank -= counts[i];
      if (rank <= 0 && count > 0) {
        long middle = i == LAST ? maxMicros : (start(i) + end(i)) / 2;
        return Duration.of(Math.min(middle, maxMicros), MICROS);
      }
    }
    return Duration.ZERO;
  }

  @Override
  public Duration max() {
    return Duration.of(maxMicros, MICROS);
  }

  @Override
  public List<Bucket> buckets() {
    List<Bucket> buckets = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        buckets.add(
            new Bucket(Duration.of(start(i), MICROS), Duration.of(end(i), MICROS), counts[i]));
      }
    }
    return buckets;
  }

  @Override
  public String toString() {
    return count == 0
        ? "Lateness[no messages]"
        : "Lateness[" + count + " messages, p99 " + percentile(99) + ", max " + max() + "]";
  }
}
