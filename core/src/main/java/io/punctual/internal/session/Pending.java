package io.punctual.internal.session;

/** An operation or a claim that has no answer yet, with its caller's callback. */
sealed interface Pending permits PendingOperation, PendingClaim {
  /**
   * Notifies the caller's callback that no answer will arrive. Called without the session's lock.
   */
  void failed(RuntimeException reason);
}
