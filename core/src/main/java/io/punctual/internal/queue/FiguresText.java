package io.punctual.internal.queue;

import io.punctual.WorkerFigures;
import io.punctual.internal.runtime.CountedFigures;
import io.punctual.internal.runtime.LatenessHistogram;
import java.time.Duration;
import java.util.Optional;

/**
 * The figures of a worker as a field of a {@link WorkerText}, separated by spaces: handled, failed,
 * running, milliseconds of the recent time, recently handled, recently failed; and if the recent
 * time has messages, their greatest lateness in microseconds, the index of the first bucket that
 * has messages, and the counts of the buckets from there on, separated by commas, where an empty
 * count is zero. Stateless.
 */
final class FiguresText {
  private FiguresText() {}

  static String of(CountedFigures figures) {
    StringBuilder text = new StringBuilder(128);
    text.append(figures.handled()).append(' ').append(figures.failed()).append(' ');
    text.append(figures.running()).append(' ').append(figures.recent().toMillis()).append(' ');
    text.append(figures.recentlyHandled()).append(' ').append(figures.recentlyFailed());
    LatenessHistogram lateness = figures.lateness();
    if (lateness.count() > 0) {
      text.append(' ').append(lateness.maxMicros()).append(' ');
      append(text, lateness);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, LatenessHistogram lateness) {
    int first = 0;
    while (lateness.count(first) == 0) {
      first++;
    }
    text.append(first).append(' ');
    long left = lateness.count();
    for (int i = first; left > 0; i++) {
      long count = lateness.count(i);
      left -= count;
      text.append(i == first ? "" : ",").append(count == 0 ? "" : Long.toString(count));
    }
  }

  /** Parses a result of {@link #of}; empty if the text is empty or a newer version wrote it. */
  static Optional<WorkerFigures> parse(String text) {
    String[] fields = text.split(" ", -1);
    if (fields.length < 6) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new CountedFigures(
              Long.parseLong(fields[0]),
              Long.parseLong(fields[1]),
              Integer.parseInt(fields[2]),
              Duration.ofMillis(Long.parseLong(fields[3])),
              Long.parseLong(fields[4]),
              Long.parseLong(fields[5]),
              fields.length < 9 ? LatenessHistogram.EMPTY : lateness(fields)));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException newer) {
      return Optional.empty();
    }
  }

  private static LatenessHistogram lateness(String[] fields) {
    long[] counts = new long[LatenessHistogram.BUCKETS];
    int bucket = Integer.parseInt(fields[7]);
    for (String count : fields[8].split(",", -1)) {
      counts[bucket++] = count.isEmpty() ? 0 : Long.parseLong(count);
    }
    return LatenessHistogram.of(counts, Long.parseLong(fields[6]));
  }
}
