package io.punctual.internal.task;

import io.punctual.task.TaskProgress;
import java.util.Optional;

/** The progress of a task. Immutable. */
public record TaskCounts(
    long examined,
    long matched,
    long changed,
    long gone,
    long leased,
    long refused,
    boolean isCancelled,
    Optional<String> position)
    implements TaskProgress {
  /** The counts of a task that begins. */
  public static final TaskCounts NONE = new TaskCounts(0, 0, 0, 0, 0, 0, false, Optional.empty());

  /** Returns these counts after further messages were read. */
  public TaskCounts read(long more, long matching) {
    return new TaskCounts(
        examined + more, matched + matching, changed, gone, leased, refused, isCancelled, position);
  }

  /** Returns these counts after the task has tried to change further messages. */
  TaskCounts tried(long done, long missing, long held, long denied) {
    return new TaskCounts(
        examined,
        matched,
        changed + done,
        gone + missing,
        leased + held,
        refused + denied,
        isCancelled,
        position);
  }

  TaskCounts at(Optional<TaskPosition> reached) {
    return new TaskCounts(
        examined,
        matched,
        changed,
        gone,
        leased,
        refused,
        isCancelled,
        reached.map(TaskPosition::toString));
  }

  TaskCounts cancelled() {
    return new TaskCounts(examined, matched, changed, gone, leased, refused, true, position);
  }

  /** Returns the counts as a log tells them. */
  @Override
  public String toString() {
    return examined
        + " examined, "
        + matched
        + " matched, "
        + changed
        + " changed"
        + (gone == 0 ? "" : ", " + gone + " gone")
        + (leased == 0 ? "" : ", " + leased + " leased")
        + (refused == 0 ? "" : ", " + refused + " refused")
        + (isCancelled ? ", cancelled" : "");
  }
}
