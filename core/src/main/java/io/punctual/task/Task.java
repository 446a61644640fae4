package io.punctual.task;

import io.punctual.ClientClosedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import java.util.concurrent.CompletionStage;

/**
 * Work on many messages, which runs in the background of the client. It ends when it has visited
 * its messages, when it is cancelled, when the store refuses to list messages, or when its client
 * is closed. A task that changes messages waits while the store is unavailable, and then continues;
 * a task that only reads fails. Safe for use by many threads.
 *
 * @param <R> the result's type
 */
public interface Task<R> {
  /** Returns the counts so far. */
  TaskProgress progress();

  /** Ends the task after the requests in flight. Has no effect on a task that has ended. */
  void cancel();

  /**
   * Returns a stage that completes with the result when the task ends; after a cancel, with the
   * result so far. The stage fails with a {@link ClientClosedException} if the client is closed
   * first, and with a {@link StoreRefusedException} if the store refuses to list messages. {@link
   * #progress} then still returns the counts.
   */
  CompletionStage<R> done();

  /**
   * Waits for the end without a time-out. If the thread is interrupted, the task goes on, and the
   * method sets the interrupt flag and throws {@link OutcomeUnknownException}, or {@link
   * StoreUnavailableException} if the task only reads.
   *
   * @throws ClientClosedException if the client was closed first
   * @throws StoreRefusedException if the store refuses to list messages
   */
  R await();
}
