package io.punctual.view;

import io.punctual.Counts;
import io.punctual.PauseNote;
import io.punctual.QueueInfo;
import io.punctual.TimedQueue;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue with the number of its messages in each state.
 *
 * @param queue the name
 * @param partitions the number of partitions
 * @param scheduled the number of messages that are not due yet
 * @param ready the number of messages that are due and not claimed
 * @param overdueMillis the time since the earliest due time of the ready messages; 0 without any
 * @param leased the number of claimed messages
 * @param dead the number of dead letters
 * @param finished the number of remembered ids
 * @param paused whether the queue is paused
 * @param pauseReason the reason of the pause, or null if none is stated
 * @param pausedBy who paused the queue, or null if it is not stated
 * @param limits the limits of the queue
 */
public record QueueView(
    String queue,
    int partitions,
    long scheduled,
    long ready,
    long overdueMillis,
    long leased,
    long dead,
    long finished,
    boolean paused,
    @Nullable String pauseReason,
    @Nullable String pausedBy,
    LimitsView limits)
    implements View {
  /** Returns the view of a queue in a listing. */
  public static QueueView of(QueueInfo queue) {
    return of(queue.name(), queue.partitions(), queue.counts());
  }

  /** Returns the view of a queue. Asks the store for its counts. */
  public static QueueView of(TimedQueue<?> queue) {
    return of(queue.name(), queue.partitions(), queue.counts());
  }

  /** Returns the view of a queue with these counts. */
  public static QueueView of(String queue, int partitions, Counts counts) {
    PauseNote note = counts.pauseNote();
    return new QueueView(
        queue,
        partitions,
        counts.scheduled(),
        counts.ready(),
        counts.overdue().toMillis(),
        counts.leased(),
        counts.dead(),
        counts.finished(),
        counts.paused(),
        note.reason().isEmpty() ? null : note.reason(),
        note.by().isEmpty() ? null : note.by(),
        LimitsView.of(counts.limits()));
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("queue", queue)
        .put("partitions", partitions)
        .put("scheduled", scheduled)
        .put("ready", ready)
        .put("overdueMillis", overdueMillis)
        .put("leased", leased)
        .put("dead", dead)
        .put("finished", finished)
        .put("paused", paused)
        .put("pauseReason", pauseReason)
        .put("pausedBy", pausedBy)
        .put("limits", limits)
        .toMap();
  }
}
