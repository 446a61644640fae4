package io.punctual.deadletter;

/** The outcome of a request to redrive or delete a dead letter. */
public enum DeadLetterOutcome {
  /** The dead letter was redriven or deleted. */
  DONE,
  /** The message with this id is not a dead letter; nothing was changed. */
  NOT_DEAD,
  /** There is no message with this id, or the message is finished. */
  NOT_FOUND
}
