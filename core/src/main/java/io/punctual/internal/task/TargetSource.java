package io.punctual.internal.task;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Finds the messages that a task is to change, page by page, and changes them. */
public interface TargetSource {
  /**
   * A page.
   *
   * @param targets the messages that match
   * @param examined the number of messages on the page
   * @param isLast whether no further page follows
   */
  record TargetPage(List<Target> targets, int examined, boolean isLast) {
    /** A page without messages, after which a further page follows. */
    public static final TargetPage EMPTY = new TargetPage(List.of(), 0, false);
  }

  /** The effect of a change. */
  enum Effect {
    CHANGED,
    GONE,
    LEASED
  }

  /** Reads the next page, without a repetition after failures. */
  CompletionStage<TargetPage> read();

  /** Changes a message of the last page, if it still is as it was read. */
  CompletionStage<Effect> change(Target target);

  /** Notes that a message was changed. The calls are in sequence. */
  default void changed(Target target) {}

  /** Returns the way through the queue, if a later task can go on from its positions. */
  default Optional<PartitionVisit> visit() {
    return Optional.empty();
  }

  /**
   * Returns whether a task that begins at a position visits a message at most once if this task
   * changes the message now.
   */
  default boolean isSafeAfter(TaskPosition saved, Target target) {
    return true;
  }

  /** Returns whether the task waits while the store is unavailable. Otherwise it ends. */
  default boolean outlivesOutages() {
    return true;
  }
}
