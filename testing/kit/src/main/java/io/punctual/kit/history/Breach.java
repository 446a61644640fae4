package io.punctual.kit.history;

/** A broken promise of Punctual that a history proves. */
public enum Breach {
  /** A stored message is gone, and no recorded action explains it. */
  LOST("lost"),
  /** A message was leased before it was due, by the store's clock. */
  EARLY("early"),
  /**
   * A message was claimed or found after a cancel, purge or deletion had removed it, or claimed
   * again although it had been cancelled during its lease.
   */
  AFTER_CANCEL("delivered after a cancel"),
  /** A message was claimed or found after its ack was confirmed. */
  AFTER_ACK("delivered after an ack"),
  /**
   * A message was leased while an earlier lease was still valid, or with a token that was not new.
   */
  LEASED_TWICE("leased twice at once"),
  /**
   * A settlement was accepted although its lease had ended by an earlier settlement or a later
   * claim.
   */
  STALE_ACCEPTED("stale settlements accepted"),
  /** A lease was passed to handlers twice, or after it had been settled. */
  DUPLICATE("duplicates"),
  /** A message was acked without a handler, or after its handler had failed. */
  ACKED_UNDONE("acked without success"),
  /**
   * A handler was started although the lease's deadline had passed. Only {@link
   * History#checkStrictly} reports it.
   */
  STARTED_LATE("started after the deadline"),
  /** A delivery reported that its lease was valid although the lease's deadline had passed. */
  LOSS_UNNOTICED("lost lease not noticed"),
  /**
   * The attempt of a claimed message is not the number of earlier attempts plus 1, or an inventory
   * found a different number of attempts.
   */
  MISCOUNTED("attempts miscounted"),
  /** An answer or an action that is not possible in the state of the message. */
  UNEXPLAINED("answers unexplained");

  private final String label;

  Breach(String label) {
    this.label = label;
  }

  /** Returns the name of the breach in reports. */
  public String label() {
    return label;
  }
}
