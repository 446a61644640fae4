package io.punctual.internal.session;

import io.punctual.spi.Outcome;

/**
 * Receives the end of an operation. The session calls one of {@link #completed}, {@link #failed}
 * and {@link #refusedForNow}, once, and holds no lock during the call.
 */
public interface OperationCallback {
  /**
   * Receives the store's answer.
   *
   * @param firstSentNanos the time at which the operation's call was first sent, on the timer's
   *     clock
   */
  void completed(Outcome outcome, long firstSentNanos);

  /**
   * Returns whether the caller has withdrawn the operation. The withdrawal has an effect only if
   * the operation was not sent yet.
   */
  default boolean isWithdrawn() {
    return false;
  }

  /**
   * Receives the end of an operation without an outcome; the exception states whether the operation
   * was done.
   */
  void failed(RuntimeException reason);

  /**
   * Like {@link #failed}, if the operation was certainly not done, for a reason that may pass: the
   * client could not send it in time, or the store refused it for now.
   */
  default void refusedForNow(RuntimeException reason) {
    failed(reason);
  }
}
