package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Json;
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
          .json((json, row) -> json.writeStringProperty("at", Json.instant(row.sample.at())))
          .text("queue", row -> row.sample.queue())
          .number("scheduled", row -> row.counts().scheduled())
          .number("ready", row -> row.counts().ready())
          .number("leased", row -> row.counts().leased())
          .number("dead", row -> row.counts().dead())
          .number("finished", row -> row.counts().finished())
          .cell("overdue", row -> QueueCounts.overdue(row.counts()))
          .json("overdueMillis", row -> row.counts().overdue().toMillis())
          .cell(
              "change/s",
              row -> String.format(Locale.ROOT, row.change == 0 ? "%.0f" : "%+.1f", row.change))
          .json((json, row) -> json.writeNumberProperty("changePerSecond", row.change))
          .flag("paused", row -> row.counts().paused());

  private Counts counts() {
    return sample.counts();
  }

  /** Returns the row as a line of text, for output that is not a terminal. */
  String line() {
    StringBuilder line = new StringBuilder(Json.instant(sample.at()));
    List<String> labels = FIELDS.labels();
    List<String> texts = FIELDS.texts(this);
    for (int i = 0; i < labels.size(); i++) {
      line.append("  ").append(labels.get(i)).append(' ').append(texts.get(i));
    }
    return line.toString();
  }
}
