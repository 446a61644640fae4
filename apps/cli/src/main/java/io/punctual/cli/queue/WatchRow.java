package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Numbers;
import io.punctual.view.Values;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/**
 * A queue as {@code watch} shows it.
 *
 * @param sample the counts
 * @param change the change of the number of pending messages per second
 */
record WatchRow(WatchSample sample, double change) {
  static final Fields<WatchRow> FIELDS =
      new Fields<WatchRow>()
          .cell("queue", row -> row.sample.queue().queue())
          .cell("scheduled", row -> Numbers.grouped(row.counts().scheduled()))
          .cell("ready", row -> Numbers.grouped(row.counts().ready()))
          .cell("leased", row -> Numbers.grouped(row.counts().leased()))
          .cell("dead", row -> Numbers.grouped(row.counts().dead()))
          .cell("finished", row -> Numbers.grouped(row.counts().finished()))
          .cell("overdue", row -> QueueCounts.overdue(row.counts()))
          .cell(
              "change/s",
              row -> String.format(Locale.ROOT, row.change == 0 ? "%.0f" : "%+.1f", row.change))
          .cell("paused", row -> row.counts().paused() ? "yes" : "no")
          .json((json, row) -> json.writeStringProperty("at", Values.instant(row.sample.at())))
          .view(row -> row.sample.queue().view())
          .json((json, row) -> json.writeNumberProperty("changePerSecond", tenths(row.change)));

  private static BigDecimal tenths(double rate) {
    return BigDecimal.valueOf(rate).setScale(1, RoundingMode.HALF_UP);
  }

  private Counts counts() {
    return sample.queue().counts();
  }

  /** Returns the row as a line of text, for output that is not a terminal. */
  String line() {
    StringBuilder line = new StringBuilder(Values.instant(sample.at()));
    List<String> labels = FIELDS.labels();
    List<String> texts = FIELDS.texts(this);
    for (int i = 0; i < labels.size(); i++) {
      line.append("  ").append(labels.get(i)).append(' ').append(texts.get(i));
    }
    return line.toString();
  }
}
