package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * A queue as {@code watch} shows it.
 *
 * @param sample the counts
 * @param change the change of the number of pending messages per second
 */
record WatchRow(WatchSample sample, double change) implements Listed {
  static final String[] COLUMNS = {
    "QUEUE", "SCHEDULED", "READY", "LEASED", "DEAD", "FINISHED", "OVERDUE", "CHANGE/S", "PAUSED"
  };

  @Override
  public List<String> cells() {
    Counts counts = sample.counts();
    return List.of(
        sample.queue(),
        Numbers.grouped(counts.scheduled()),
        Numbers.grouped(counts.ready()),
        Numbers.grouped(counts.leased()),
        Numbers.grouped(counts.dead()),
        Numbers.grouped(counts.finished()),
        TimeSpan.format(Duration.ofSeconds(sample.counts().overdue().toSeconds())),
        String.format(Locale.ROOT, change == 0 ? "%.0f" : "%+.1f", change),
        counts.paused() ? "yes" : "no");
  }

  /** Returns the row as a line of text, for output that is not a terminal. */
  String line() {
    StringBuilder line = new StringBuilder(Json.instant(sample.at()));
    List<String> cells = cells();
    for (int i = 0; i < COLUMNS.length; i++) {
      line.append("  ")
          .append(COLUMNS[i].toLowerCase(Locale.ROOT))
          .append(' ')
          .append(cells.get(i));
    }
    return line.toString();
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("at", Json.instant(sample.at()));
    json.writeStringProperty("queue", sample.queue());
    json.writeNumberProperty("scheduled", sample.counts().scheduled());
    json.writeNumberProperty("ready", sample.counts().ready());
    json.writeNumberProperty("leased", sample.counts().leased());
    json.writeNumberProperty("dead", sample.counts().dead());
    json.writeNumberProperty("finished", sample.counts().finished());
    json.writeNumberProperty("overdueMillis", sample.counts().overdue().toMillis());
    json.writeNumberProperty("changePerSecond", change);
    json.writeBooleanProperty("paused", sample.counts().paused());
  }
}
