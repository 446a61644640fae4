package io.punctual;

/** The outcome of a reschedule, or of a request to run a message now. */
public enum RescheduleOutcome {
  /** The message waits for its new time. */
  RESCHEDULED,
  /** A consumer holds the message; nothing was changed. */
  RUNNING,
  /** The message is a dead letter; nothing was changed. Redrive it instead. */
  DEAD,
  /** There is no message with this id, or the message is finished. */
  NOT_FOUND
}
