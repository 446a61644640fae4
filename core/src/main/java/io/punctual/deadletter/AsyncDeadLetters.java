package io.punctual.deadletter;

import io.punctual.AsyncTimedQueue;
import io.punctual.Page;
import io.punctual.StoredMessage;
import io.punctual.task.Task;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous forms of the operations on {@link DeadLetters}: {@link DeadLetters#async}. Their
 * stages complete on the threads of {@link AsyncTimedQueue}, and fail as the blocking forms do.
 * Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface AsyncDeadLetters<T> {
  /** The asynchronous form of {@link DeadLetters#list}. */
  CompletionStage<Page<StoredMessage<T>>> list(DeadLetterQuery query);

  /**
   * The asynchronous form of {@link DeadLetters#groups}: a task with progress, which can be
   * cancelled. The result of a cancelled task has the dead letters that the task has read.
   */
  Task<DeadLetterGroups> groups(DeadLetterFilter filter);

  /** The asynchronous form of {@link DeadLetters#redrive(String)}. */
  CompletionStage<DeadLetterOutcome> redrive(String id);

  /** The asynchronous form of {@link DeadLetters#redrive(String, Object)}. */
  CompletionStage<DeadLetterOutcome> redrive(String id, T payload);

  /** The asynchronous form of {@link DeadLetters#delete(String)}. */
  CompletionStage<DeadLetterOutcome> delete(String id);

  /** The asynchronous form of {@link DeadLetters#deleteBeyond}. */
  CompletionStage<Long> deleteBeyond(DeadLetterRetention retention);
}
