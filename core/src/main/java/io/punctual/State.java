package io.punctual;

/** The state of a message. */
public enum State {
  /** Stored, and not due yet. */
  SCHEDULED,
  /** Due, and not claimed. Derived from the due time, not stored. */
  READY,
  /**
   * Claimed by a consumer. A message whose lease has expired keeps this state until it is claimed
   * again, settled, replaced or removed.
   */
  LEASED,
  /** A dead letter: not delivered again without a redrive. */
  DEAD,
  /**
   * Finished, and the store remembers the id, so that a schedule of the id stores nothing; see
   * {@link Message#rememberFor}. The message itself is gone.
   */
  FINISHED
}
