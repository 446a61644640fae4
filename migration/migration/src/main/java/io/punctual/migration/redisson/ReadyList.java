package io.punctual.migration.redisson;

/** The action for elements of the ready list, which are due and wait for a taker of Redisson. */
public enum ReadyList {
  /** Leaves them to the takers of Redisson. */
  LEAVE,
  /** Imports them as messages that are due now. */
  MOVE
}
