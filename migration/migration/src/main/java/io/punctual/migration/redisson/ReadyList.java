package io.punctual.migration.redisson;

/** The action for elements of the ready list, which are due and wait for a Redisson taker. */
public enum ReadyList {
  /** Leaves the elements to the Redisson takers. */
  LEAVE,
  /** Imports the elements as messages that are due now. */
  MOVE
}
