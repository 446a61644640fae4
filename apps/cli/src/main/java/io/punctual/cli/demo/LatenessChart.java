package io.punctual.cli.demo;

import io.punctual.cli.output.Bars;
import io.punctual.view.Values;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Draws a histogram of latenesses. The bounds of its spans are 0.1, 0.2, 0.5, 1, 2, 5 ...
 * milliseconds.
 */
final class LatenessChart {
  private static final long[] STEPS = {1, 2, 5};
  private static final long LAST_MICROS = 100_000_000;

  private final Bars bars;

  LatenessChart(Bars bars) {
    this.bars = bars;
  }

  /** Returns the lines of the drawing, from the first span that is not empty to the last. */
  List<String> draw(Histogram micros) {
    List<Bars.Row> rows = new ArrayList<>();
    long from = 0;
    for (long to : bounds()) {
      rows.add(row(micros, from, to));
      from = to;
    }
    rows.add(row(micros, from, Long.MAX_VALUE));
    return bars.draw(trimmed(rows));
  }

  private static List<Long> bounds() {
    List<Long> bounds = new ArrayList<>();
    for (long power = 100; power <= LAST_MICROS; power *= 10) {
      for (long step : STEPS) {
        bounds.add(power * step);
      }
    }
    return bounds;
  }

  private static Bars.Row row(Histogram micros, long from, long to) {
    if (to == Long.MAX_VALUE) {
      return new Bars.Row("longer", above(micros, from));
    }
    return new Bars.Row("up to " + limit(to), above(micros, from) - above(micros, to));
  }

  private static long above(Histogram micros, long bound) {
    long count = 0;
    for (var each : micros.recordedValues()) {
      if (each.getValueIteratedTo() > bound || (bound == 0 && each.getValueIteratedTo() == 0)) {
        count += each.getCountAddedInThisIterationStep();
      }
    }
    return count;
  }

  private static String limit(long micros) {
    return micros < 1_000_000
        ? Values.millis(micros).toPlainString() + " ms"
        : micros / 1_000_000 + "  s";
  }

  private static List<Bars.Row> trimmed(List<Bars.Row> rows) {
    int first = 0;
    int last = rows.size();
    while (first < last && rows.get(first).count() == 0) {
      first++;
    }
    while (last > first && rows.get(last - 1).count() == 0) {
      last--;
    }
    return rows.subList(first, last);
  }
}
