package io.punctual.internal.queue;

import io.punctual.Forecast;
import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The spans of a forecast. Immutable.
 *
 * @param fromMillis the start of the first span, in milliseconds from 1970
 * @param widthMillis the length of each span
 * @param buckets the number of spans
 */
record ForecastSpans(long fromMillis, long widthMillis, int buckets) {
  /**
   * Divides a range into equal spans of whole milliseconds.
   *
   * @throws IllegalArgumentException if the number of spans is out of range, or the end is not
   *     after the start
   */
  static ForecastSpans of(Instant from, Instant to, int buckets) {
    Checks.range(buckets, 1, Partition.MAX_BUCKETS, "buckets");
    long begin = DueTime.instantMillis(from);
    long span = DueTime.instantMillis(to) - begin;
    if (span <= 0) {
      throw new IllegalArgumentException(
          "to must be after from, but they were " + to + ", " + from);
    }
    return new ForecastSpans(begin, (span + buckets - 1) / buckets, buckets);
  }

  /** Returns the forecast of a queue from the counts of its parts. */
  Forecast of(List<long[]> counts) {
    return new Forecast(
        Instant.ofEpochMilli(fromMillis),
        Duration.ofMillis(widthMillis),
        IntStream.range(0, buckets)
            .mapToObj(i -> counts.stream().mapToLong(each -> each[i]).sum())
            .toList());
  }
}
