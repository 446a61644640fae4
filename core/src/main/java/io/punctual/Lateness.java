package io.punctual;

import io.punctual.internal.runtime.LatenessHistogram;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * The lateness of messages: how long after their due times handlers received them. Counted in about
 * 140 spans from 64 microseconds to 100 days, each at most a quarter longer than the time at which
 * it begins, so that a percentile is exact to about 12 percent. Immutable.
 */
public interface Lateness {
  /** The lateness of no messages. */
  Lateness NONE = LatenessHistogram.EMPTY;

  /** Returns the lateness of the messages of several parts together, for example of all workers. */
  static Lateness sum(Collection<? extends Lateness> parts) {
    return LatenessHistogram.sum(parts);
  }

  /** Returns the number of messages. */
  long count();

  /**
   * Returns the time within which this percentage of the messages were received; zero if there are
   * no messages.
   *
   * @param percent more than 0, at most 100; 99 for the 99th percentile
   * @throws IllegalArgumentException if the percentage is out of range
   */
  Duration percentile(double percent);

  /** Returns the lateness of the latest message; zero if there are no messages. */
  Duration max();

  /** Returns the spans that have messages, in ascending order. */
  List<Bucket> buckets();

  /**
   * The number of messages in a span of lateness.
   *
   * @param from the beginning of the span
   * @param to the end of the span, which is not in it
   * @param count the number of messages
   */
  record Bucket(Duration from, Duration to, long count) {}
}
