package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.PauseNote;
import io.punctual.QueueInfo;
import io.punctual.TimedQueue;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.Fields;
import java.time.Duration;
import tools.jackson.core.JsonGenerator;

/**
 * The number of messages of a queue in each state.
 *
 * @param queue the queue's name
 * @param partitions the number of partitions
 * @param counts the numbers
 */
record QueueCounts(String queue, int partitions, Counts counts) {
  static final Fields<QueueCounts> FIELDS =
      new Fields<QueueCounts>()
          .text("queue", QueueCounts::queue)
          .number("partitions", QueueCounts::partitions)
          .number("scheduled", row -> row.counts.scheduled())
          .number("ready", row -> row.counts.ready())
          .cell("overdue", row -> overdue(row.counts))
          .json("overdueMillis", row -> row.counts.overdue().toMillis())
          .number("leased", row -> row.counts.leased())
          .number("dead", row -> row.counts.dead())
          .number("finished", row -> row.counts.finished())
          .cell("paused", row -> row.counts.paused() ? "yes" + text(row.counts.pauseNote()) : "no")
          .json(QueueCounts::writePause)
          .text("limits", row -> LimitsCommand.text(row.counts.limits()));

  static QueueCounts of(TimedQueue<?> queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  static QueueCounts of(QueueInfo queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  /** Returns how long the oldest ready message has been due, in whole seconds. */
  static String overdue(Counts counts) {
    return TimeSpan.format(Duration.ofSeconds(counts.overdue().toSeconds()));
  }

  private static String text(PauseNote note) {
    return (note.reason().isEmpty() ? "" : ": " + note.reason())
        + (note.by().isEmpty() ? "" : " (" + note.by() + ")");
  }

  private static void writePause(JsonGenerator json, QueueCounts row) {
    PauseNote note = row.counts.pauseNote();
    json.writeBooleanProperty("paused", row.counts.paused());
    if (!note.equals(PauseNote.NONE)) {
      json.writeStringProperty("pauseReason", note.reason());
      json.writeStringProperty("pausedBy", note.by());
    }
  }
}
