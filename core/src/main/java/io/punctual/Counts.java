package io.punctual;

import java.time.Duration;

/**
 * The number of messages of a queue in each state, counted without stopping the queue. In a large
 * queue of the SQL store, the counts can be a few seconds old. Immutable.
 */
public interface Counts {
  /** Returns the number of messages that wait and are not due yet. */
  long scheduled();

  /** Returns the number of messages that are due and not claimed: the backlog of the workers. */
  long ready();

  /**
   * Returns the number of messages that are claimed and not settled, including messages whose lease
   * has expired.
   */
  long leased();

  /** Returns the number of dead letters. */
  long dead();

  /**
   * Returns the number of ids of finished messages that the store remembers; see {@link
   * Message#rememberFor}.
   */
  long finished();

  /** Returns whether the queue is paused. */
  boolean paused();

  /**
   * Returns the reason of the pause and its author; {@link PauseNote#NONE} if the queue is not
   * paused.
   */
  PauseNote pauseNote();

  /** Returns the limits of the queue's claims. */
  QueueLimits limits();

  /**
   * Returns the time since the earliest due time of the ready messages, by the store's clock; zero
   * if no message is ready. A queue that stays overdue needs more workers, or is paused or limited.
   */
  Duration overdue();

  /** Returns the number of messages that are neither dead letters nor finished. */
  default long pending() {
    return scheduled() + ready() + leased();
  }
}
