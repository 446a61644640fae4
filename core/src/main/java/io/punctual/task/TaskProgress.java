package io.punctual.task;

import io.punctual.deadletter.DeadLetters;
import java.util.Optional;

/**
 * The counts of a {@link Task}. Immutable. The counts begin with the task: a task that continues an
 * earlier task does not have the counts of the earlier task.
 */
public interface TaskProgress {
  /** Returns the number of messages that the task has read. */
  long examined();

  /** Returns the number of examined messages that match the filter. */
  long matched();

  /** Returns the number of changed messages; 0 for a task that only reads. */
  long changed();

  /**
   * Returns the number of messages that matched, but were not there any more as the task had read
   * them when it tried to change them: they were removed, finished, rescheduled, redriven, or had
   * died. A change whose reply was lost in an outage can count here.
   */
  long gone();

  /**
   * Returns the number of messages that matched, but were leased when the task tried to change
   * them. They stay as they were. Always 0 for dead letters.
   */
  long leased();

  /**
   * Returns the number of messages that the store refused to change; the log has the first reasons.
   */
  long refused();

  /** Returns whether the task was cancelled, or its client was closed, before its end. */
  boolean isCancelled();

  /**
   * Returns the position up to which the task has changed all matching messages, for {@link
   * TaskOptions#after}. Empty for {@link DeadLetters#groups}, and until the first message was read.
   */
  Optional<String> position();
}
