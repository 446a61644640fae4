package io.punctual.lock.internal.attempt;

/** The states of an {@link Acquisition}, in their usual order. */
enum AttemptState {
  /** The attempt waits behind other attempts of this client. */
  QUEUED,
  /**
   * The attempt requests the lock: the server has not replied yet, or did not confirm its grant.
   */
  ASKING,
  /** The attempt waits in the server's line of waiters. */
  WAITING,
  /** The server has granted the lock, and the client confirms the grant. */
  CONFIRMING,
  /** The result is known. */
  OVER;

  boolean sendsRequests() {
    return this == ASKING || this == WAITING;
  }

  /** Returns whether further replies and grants have no effect. */
  boolean isDecided() {
    return this == CONFIRMING || this == OVER;
  }
}
