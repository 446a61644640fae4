package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.PauseNote;
import io.punctual.QueueInfo;
import io.punctual.TimedQueue;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Numbers;
import io.punctual.view.QueueView;
import java.time.Duration;

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
          .cell("queue", QueueCounts::queue)
          .cell("partitions", row -> Numbers.grouped(row.partitions))
          .cell("scheduled", row -> Numbers.grouped(row.counts.scheduled()))
          .cell("ready", row -> Numbers.grouped(row.counts.ready()))
          .cell("overdue", row -> overdue(row.counts))
          .cell("leased", row -> Numbers.grouped(row.counts.leased()))
          .cell("dead", row -> Numbers.grouped(row.counts.dead()))
          .cell("finished", row -> Numbers.grouped(row.counts.finished()))
          .cell("paused", row -> row.counts.paused() ? "yes" + text(row.counts.pauseNote()) : "no")
          .cell("limits", row -> LimitsCommand.text(row.counts.limits()))
          .view(QueueCounts::view);

  static QueueCounts of(TimedQueue<?> queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  static QueueCounts of(QueueInfo queue) {
    return new QueueCounts(queue.name(), queue.partitions(), queue.counts());
  }

  QueueView view() {
    return QueueView.of(queue, partitions, counts);
  }

  /** Returns how long the oldest ready message has been due, in whole seconds. */
  static String overdue(Counts counts) {
    return TimeSpan.format(Duration.ofSeconds(counts.overdue().toSeconds()));
  }

  private static String text(PauseNote note) {
    return (note.reason().isEmpty() ? "" : ": " + note.reason())
        + (note.by().isEmpty() ? "" : " (" + note.by() + ")");
  }
}
