package io.punctual;

/** What became of a request to redrive or delete one dead letter. */
public enum DeadLetterOutcome {
  /** It was a dead letter; it was redriven, or deleted, as asked. */
  DONE,
  /** There is a message with this id, but it is not a dead letter; nothing was changed. */
  NOT_DEAD,
  /** There is no message with this id. */
  NOT_FOUND
}
