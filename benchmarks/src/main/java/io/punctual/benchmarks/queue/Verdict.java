package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.queue.MessageLog.Row;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The combined result of the logs of all processes. Only the first delivery of a message counts for
 * the lateness.
 *
 * @param unfinished how many messages were not delivered when a trial was cut short
 */
record Verdict(MessageCounts tally, long unfinished, Histogram latenessMicros) {
  /**
   * Returns the verdict on a trial that waited until deliveries ended: missing messages are lost.
   */
  static Verdict of(List<Row> scheduled, List<Row> delivered) {
    return of(scheduled, delivered, OptionalLong.empty());
  }

  /**
   * Returns the verdict on a trial that may have been cut short. After a cut, a missing message
   * does not count as lost; it is recorded with its lateness at the time of the cut.
   */
  static Verdict of(List<Row> scheduled, List<Row> delivered, OptionalLong cutAtMicros) {
    Map<Long, Integer> times = new HashMap<>();
    Histogram lateness = new Histogram(3);
    long early = 0;
    long duplicates = 0;
    for (Row row : delivered) {
      long late = row.atMicros() - row.dueMicros();
      if (late < 0) {
        early++;
      }
      if (times.merge(row.number(), 1, Integer::sum) == 1) {
        lateness.recordValue(Math.max(0, late));
      } else {
        duplicates++;
      }
    }
    Set<Long> missing = new HashSet<>();
    for (Row row : scheduled) {
      if (!times.containsKey(row.number()) && missing.add(row.number())) {
        cutAtMicros.ifPresent(at -> lateness.recordValue(Math.max(0, at - row.dueMicros())));
      }
    }
    long lost = cutAtMicros.isPresent() ? 0 : missing.size();
    return new Verdict(
        new MessageCounts(scheduled.size(), lost, early, duplicates),
        missing.size() - lost,
        lateness);
  }
}
