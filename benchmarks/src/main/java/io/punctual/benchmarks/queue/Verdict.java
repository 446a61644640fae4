package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Tally;
import io.punctual.benchmarks.queue.MessageLog.Row;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * What the logs of the processes say together. Of a message that came twice the first time counts
 * for its lateness.
 */
record Verdict(Tally tally, Histogram latenessMicros) {
  static Verdict of(List<Row> scheduled, List<Row> delivered) {
    Set<Long> missing = new HashSet<>();
    scheduled.forEach(row -> missing.add(row.number()));
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
      missing.remove(row.number());
    }
    return new Verdict(new Tally(scheduled.size(), missing.size(), early, duplicates), lateness);
  }
}
