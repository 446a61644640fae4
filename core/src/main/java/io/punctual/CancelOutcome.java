package io.punctual;

/** What became of a cancel. */
public enum CancelOutcome {
  /** The message was waiting; it is gone. */
  CANCELLED,
  /**
   * A worker holds the message and may finish it; should it fail, or its lease run out, the message
   * is discarded instead of coming back.
   */
  RUNNING,
  /** The message is a dead letter, and stays one. */
  DEAD,
  /** There is no message with this id. */
  NOT_FOUND
}
