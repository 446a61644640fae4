package io.punctual.view;

import io.punctual.task.TaskProgress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a change of many messages.
 *
 * @param examined the messages that the task has read
 * @param matched the examined messages that match its filter
 * @param done the name of the count {@code changed}, such as {@code redriven}
 * @param changed the messages that it has changed
 * @param gone the messages that matched, but were no longer there when the task tried to change
 *     them
 * @param leased the messages that matched, but were leased when the task tried to change them
 * @param refused the messages that the store refused to change
 * @param cancelled whether the task was cancelled
 */
public record TaskView(
    long examined,
    long matched,
    String done,
    long changed,
    long gone,
    long leased,
    long refused,
    boolean cancelled)
    implements View {
  /** Returns the view of the progress of a task. */
  public static TaskView of(TaskProgress progress) {
    return of(progress, "changed");
  }

  /** Returns the view of the progress of a task whose count of changes has another name. */
  public static TaskView of(TaskProgress progress, String done) {
    return new TaskView(
        progress.examined(),
        progress.matched(),
        done,
        progress.changed(),
        progress.gone(),
        progress.leased(),
        progress.refused(),
        progress.isCancelled());
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("examined", examined)
        .put("matched", matched)
        .put(done, changed)
        .put("gone", gone)
        .put("leased", leased)
        .put("refused", refused)
        .put("cancelled", cancelled)
        .toMap();
  }
}
