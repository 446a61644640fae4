package io.punctual.webhook;

import io.punctual.http.webhook.WebhookView;
import java.time.Duration;
import java.time.Instant;

/** Counts the calls of the past hour, in spans of five minutes. Thread-safe. */
final class HourFigures {
  private static final int SPANS = 12;
  private static final long SPAN_MILLIS = Duration.ofHours(1).toMillis() / SPANS;

  /** Buckets of durations: four for each power of two. */
  private static final int BUCKETS = 80;

  private final long[] numbers = new long[SPANS];
  private final int[] delivered = new int[SPANS];
  private final int[] failed = new int[SPANS];
  private final int[][] durations = new int[SPANS][];

  synchronized void add(Instant now, boolean isDelivered, long millis) {
    long number = now.toEpochMilli() / SPAN_MILLIS;
    int span = (int) (number % SPANS);
    int[] ofSpan = durations[span];
    if (numbers[span] != number || ofSpan == null) {
      numbers[span] = number;
      delivered[span] = 0;
      failed[span] = 0;
      ofSpan = new int[BUCKETS];
      durations[span] = ofSpan;
    }
    if (isDelivered) {
      delivered[span]++;
    } else {
      failed[span]++;
    }
    ofSpan[bucket(millis)]++;
  }

  private static int bucket(long millis) {
    if (millis < 4) {
      return (int) Math.max(0, millis);
    }
    int power = 63 - Long.numberOfLeadingZeros(millis);
    int quarter = (int) (millis >> (power - 2)) & 3;
    return Math.min(BUCKETS - 1, (power - 1) * 4 + quarter);
  }

  /** Returns the largest duration of a bucket. */
  private static long most(int bucket) {
    if (bucket < 4) {
      return bucket;
    }
    int power = bucket / 4 + 1;
    return (1L << power) + ((bucket % 4 + 1L) << (power - 2)) - 1;
  }

  synchronized WebhookView.Figures at(Instant now) {
    long number = now.toEpochMilli() / SPAN_MILLIS;
    long good = 0;
    long bad = 0;
    long[] sum = new long[BUCKETS];
    for (int span = 0; span < SPANS; span++) {
      int[] ofSpan = durations[span];
      if (ofSpan != null && number - numbers[span] < SPANS) {
        good += delivered[span];
        bad += failed[span];
        for (int i = 0; i < BUCKETS; i++) {
          sum[i] += ofSpan[i];
        }
      }
    }
    return new WebhookView.Figures(
        good, bad, percentile(sum, good + bad, 50), percentile(sum, good + bad, 99));
  }

  private static long percentile(long[] sum, long all, int percent) {
    long rank = (all * percent + 99) / 100;
    long seen = 0;
    for (int i = 0; i < BUCKETS && all > 0; i++) {
      seen += sum[i];
      if (seen >= rank) {
        return most(i);
      }
    }
    return -1;
  }
}
