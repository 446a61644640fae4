package io.punctual.internal.session;

import io.punctual.spi.Outcome;

/**
 * Receives the end of an operation: a single call of {@link #completed} or {@link #failed}, without
 * any lock of the runtime.
 */
public interface OperationCallback {
  /**
   * The store answered.
   *
   * @param firstSentNanos when the call that carried the operation was first sent, on the timer's
   *     clock
   */
  void completed(Outcome outcome, long firstSentNanos);

  /** Returns whether the caller has withdrawn the operation, which holds if it was not sent. */
  default boolean isWithdrawn() {
    return false;
  }

  /** There is no answer; the exception says whether the operation was done. */
  void failed(RuntimeException reason);
}
