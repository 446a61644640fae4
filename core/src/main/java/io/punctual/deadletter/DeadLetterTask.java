package io.punctual.deadletter;

import io.punctual.ClientClosedException;
import io.punctual.StoreRefusedException;
import java.util.concurrent.CompletionStage;

/**
 * A change of many dead letters, which runs in the background of the client. It waits while the
 * store is unavailable, and then continues. It ends when it has tried to change all matching dead
 * letters up to the limit of the filter, when it is cancelled, when the store refuses to list dead
 * letters, or when its client is closed. Messages that die meanwhile do not keep it running. Safe
 * for use by many threads.
 */
public interface DeadLetterTask {
  /** Returns the counts so far. */
  DeadLetterProgress progress();

  /** Ends the task after the requests in flight. Has no effect on a task that has ended. */
  void cancel();

  /**
   * Returns a stage that completes with the final counts when the task ends, also after a cancel.
   * The stage fails with a {@link ClientClosedException} if the client is closed first, and with a
   * {@link StoreRefusedException} if the store refuses to list dead letters. {@link #progress} then
   * still returns the counts.
   */
  CompletionStage<DeadLetterProgress> done();

  /**
   * Waits for the end without a time-out.
   *
   * @throws ClientClosedException if the client was closed first
   * @throws StoreRefusedException if the store refuses to list dead letters
   */
  DeadLetterProgress await();
}
