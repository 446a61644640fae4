package io.punctual;

/** The result of deleting a queue. */
public enum DeleteQueueOutcome {
  /** The queue was deleted, together with its paused state and its number of partitions. */
  DELETED,
  /** The queue holds messages, or came into use during the deletion; no message was removed. */
  NOT_EMPTY,
  /** The store has no queue of this name. */
  NOT_FOUND
}
