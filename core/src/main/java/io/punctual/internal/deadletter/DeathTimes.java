package io.punctual.internal.deadletter;

import io.punctual.deadletter.DeadLetterGroup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The times of many deaths, in bounded memory. It counts them in short equal spans that begin at
 * multiples of their length. If the times need more spans than {@link #MOST}, the spans become
 * twice as long. For a single thread.
 */
final class DeathTimes {
  /** Some 10 or more short spans are in each span of the result. */
  private static final int MOST = 512;

  private final Map<Long, Long> counts = new HashMap<>();

  /** The length of a short span, in milliseconds. */
  private long width = 1;

  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  void add(long millis) {
    first = Math.min(first, millis);
    last = Math.max(last, millis);
    while (Math.floorDiv(last, width) - Math.floorDiv(first, width) >= MOST) {
      widen();
    }
    counts.merge(Math.floorDiv(millis, width), 1L, Long::sum);
  }

  private void widen() {
    width *= 2;
    Map<Long, Long> before = Map.copyOf(counts);
    counts.clear();
    before.forEach((span, count) -> counts.merge(Math.floorDiv(span, 2), count, Long::sum));
  }

  long first() {
    return first;
  }

  long last() {
    return last;
  }

  /** Returns the counts in {@link DeadLetterGroup#DEATH_SPANS} equal spans. */
  List<Long> spans() {
    long[] spans = new long[DeadLetterGroup.DEATH_SPANS];
    counts.forEach(
        (span, count) -> {
          long middle = span * width + width / 2;
          long since = Math.max(first, Math.min(middle, last)) - first;
          spans[(int) (since * spans.length / (last - first + 1))] += count;
        });
    return LongStream.of(spans).boxed().toList();
  }
}
