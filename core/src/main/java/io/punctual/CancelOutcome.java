package io.punctual;

/** The outcome of a cancel. */
public enum CancelOutcome {
  /** The message was waiting and has been removed. */
  CANCELLED,
  /**
   * A consumer holds the message and may ack it. If the attempt fails or the lease expires, the
   * store discards the message instead of delivering it again.
   */
  RUNNING,
  /** The message is a dead letter and was not changed. */
  DEAD,
  /** There is no message with this id, or the message is finished. */
  NOT_FOUND
}
