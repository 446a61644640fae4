package io.punctual;

/** What became of a settlement: an ack, retry, bury, release or extension of a lease. */
public enum SettleOutcome {
  /** It took effect. */
  DONE,
  /**
   * The message was cancelled while it was held, so it was discarded instead of being kept for
   * later. Never the answer to an ack or an extension.
   */
  DISCARDED,
  /**
   * Refused without effect: the lease is no longer this delivery's. It ran out and the message was
   * claimed again, or the message was settled, replaced or purged.
   */
  LEASE_LOST
}
