package io.punctual.http.own;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.task.TaskProgress;
import io.punctual.view.Tree;

/**
 * The counts of a task over all processes that have run it. Immutable.
 *
 * @param examined the messages that it has read
 * @param matched the examined messages that match
 * @param changed the messages that it has changed
 * @param gone the messages that were no longer there
 * @param leased the messages that a consumer held
 * @param refused the messages that the store refused to change
 */
record TaskCounts(long examined, long matched, long changed, long gone, long leased, long refused) {
  static final TaskCounts NONE = new TaskCounts(0, 0, 0, 0, 0, 0);

  private static final Fields FIELDS =
      Fields.of("examined", "matched", "changed", "gone", "leased", "refused");

  /** Returns these counts of earlier processes with those of this one. */
  TaskCounts plus(TaskProgress progress) {
    return new TaskCounts(
        examined + progress.examined(),
        matched + progress.matched(),
        changed + progress.changed(),
        gone + progress.gone(),
        leased + progress.leased(),
        refused + progress.refused());
  }

  /** Returns these counts with further changes. */
  TaskCounts changed(long more) {
    return new TaskCounts(examined + more, matched + more, changed + more, gone, leased, refused);
  }

  void addTo(Tree tree) {
    tree.put("examined", examined)
        .put("matched", matched)
        .put("changed", changed)
        .put("gone", gone)
        .put("leased", leased)
        .put("refused", refused);
  }

  static TaskCounts read(JsonInput input) {
    long[] numbers = new long[FIELDS.names().size()];
    input.object(
        FIELDS, name -> numbers[FIELDS.names().indexOf(name)] = input.number(0, Long.MAX_VALUE));
    return new TaskCounts(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
  }
}
