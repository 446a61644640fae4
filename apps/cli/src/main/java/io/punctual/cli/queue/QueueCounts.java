package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.PauseNote;
import io.punctual.QueueInfo;
import io.punctual.TimedQueue;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import java.time.Duration;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The number of messages of a queue in each state.
 *
 * @param queue the queue's name
 * @param partitions the number of partitions
 * @param counts the numbers
 */
record QueueCounts(String queue, int partitions, Counts counts) implements Listed {
  static final String[] LABELS = {
    "queue",
    "partitions",
    "scheduled",
    "ready",
    "overdue",
    "leased",
    "dead",
    "finished",
    "paused",
    "limits"
  };

  static QueueCounts of(TimedQueue<?> queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  static QueueCounts of(QueueInfo queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  @Override
  public List<String> cells() {
    return List.of(
        queue,
        Numbers.grouped(partitions),
        Numbers.grouped(counts.scheduled()),
        Numbers.grouped(counts.ready()),
        TimeSpan.format(Duration.ofSeconds(counts.overdue().toSeconds())),
        Numbers.grouped(counts.leased()),
        Numbers.grouped(counts.dead()),
        Numbers.grouped(counts.finished()),
        counts.paused() ? "yes" + text(counts.pauseNote()) : "no",
        LimitsRow.text(counts.limits()));
  }

  private static String text(PauseNote note) {
    return (note.reason().isEmpty() ? "" : ": " + note.reason())
        + (note.by().isEmpty() ? "" : " (" + note.by() + ")");
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("queue", queue);
    json.writeNumberProperty("partitions", partitions);
    json.writeNumberProperty("scheduled", counts.scheduled());
    json.writeNumberProperty("ready", counts.ready());
    json.writeNumberProperty("overdueMillis", counts.overdue().toMillis());
    json.writeNumberProperty("leased", counts.leased());
    json.writeNumberProperty("dead", counts.dead());
    json.writeNumberProperty("finished", counts.finished());
    json.writeBooleanProperty("paused", counts.paused());
    if (!counts.pauseNote().equals(PauseNote.NONE)) {
      json.writeStringProperty("pauseReason", counts.pauseNote().reason());
      json.writeStringProperty("pausedBy", counts.pauseNote().by());
    }
    json.writeStringProperty("limits", LimitsRow.text(counts.limits()));
  }
}
