package io.punctual;

/** Where in its life a message is. */
public enum State {
  /** Stored, and its time has not come. */
  SCHEDULED,
  /** Its time has come and no worker has claimed it yet. Derived from the due time, not stored. */
  READY,
  /**
   * Claimed by a worker. A lease that has run out still counts as this until the message is claimed
   * again.
   */
  LEASED,
  /** Buried as a dead letter: it comes back only when redriven. */
  DEAD
}
