package io.punctual;

/** The outcome of a settlement, or of an extension of a lease. */
public enum SettleOutcome {
  /** The settlement or extension took effect. */
  DONE,
  /**
   * The outcome of an extension only: the lease was extended, and the message was cancelled while
   * it was leased. The consumer may stop early. An ack removes the message with the outcome {@link
   * #DONE}; if another occurrence of a recurring message would follow, with {@link #DISCARDED}. Any
   * other settlement removes the message with {@link #DISCARDED}.
   */
  CANCELLED,
  /**
   * The message was cancelled while it was leased, so the store discarded it instead of keeping it.
   * Never the outcome of an extension, or of an ack of a message that is not recurring.
   */
  DISCARDED,
  /**
   * The store refused the settlement or extension, because this delivery has lost its lease: the
   * lease expired and the message was claimed again, or the message was settled, replaced or
   * removed.
   */
  LEASE_LOST
}
