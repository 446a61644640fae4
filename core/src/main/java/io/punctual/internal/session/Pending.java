package io.punctual.internal.session;

/** An operation or a claim that has no answer yet, with its caller's callback. */
sealed interface Pending permits PendingOperation, PendingClaim {
  /** Runs the caller's callback for an end without an answer; the session's lock is not held. */
  void failed(RuntimeException reason);
}
