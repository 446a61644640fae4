package io.punctual.internal;

import io.punctual.spi.Outcome;

/** Waits for the outcome of one operation. Told once, by one of the two methods. */
interface OperationCallback {
  /**
   * The store answered.
   *
   * @param firstSentNanos when the call that carried the operation was first sent, on the timer's
   *     clock
   */
  void completed(Outcome outcome, long firstSentNanos);

  /** Whether nobody wants the operation any more, unless it was sent. */
  default boolean isWithdrawn() {
    return false;
  }

  /** There is no answer; the exception says what is known. */
  void failed(RuntimeException failure);
}
