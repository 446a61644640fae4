package io.punctual;

/** The result of deleting a queue. */
public enum DeleteQueueOutcome {
  /** The queue was deleted, together with its pause, its limits and its number of partitions. */
  DELETED,
  /**
   * The queue holds messages or remembered ids, or came into use during the deletion. The deletion
   * removed no message.
   */
  NOT_EMPTY,
  /** The store has no queue of this name. */
  NOT_FOUND
}
