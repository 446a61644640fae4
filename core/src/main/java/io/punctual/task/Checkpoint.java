package io.punctual.task;

import java.util.concurrent.CompletionStage;

/** Saves the progress of a task, so that a new task can continue from it: {@link TaskOptions}. */
@FunctionalInterface
public interface Checkpoint {
  /**
   * Saves a progress. The task makes no further change until the returned stage completes; if the
   * stage fails, or this method throws, the task ends with that failure. Must not block.
   */
  CompletionStage<?> save(TaskProgress progress);
}
