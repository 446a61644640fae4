package io.punctual.internal.task;

import io.punctual.internal.runtime.Awaited;
import io.punctual.task.TaskProgress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What a task does, in steps that run in sequence on any thread. Its text names it for the log and
 * for exceptions.
 *
 * @param <R> the result's type
 */
public interface TaskSteps<R> {
  /** Executes a step; the result is whether there is a further step. */
  CompletionStage<Boolean> step();

  /** Returns the counts so far; for any thread. */
  TaskCounts counts();

  /** Returns the result at the end, or after a cancel. */
  R result(TaskProgress last);

  /** Returns the request for which a caller waits. */
  Awaited<R> awaited(CompletableFuture<R> end);

  /** Notes the end, with the failure that ended the task early, or null. */
  void ended(TaskProgress last, @Nullable Throwable failure);
}
