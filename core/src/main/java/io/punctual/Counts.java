package io.punctual;

import java.time.Duration;

/**
 * The number of messages of a queue in each state, counted without stopping the queue. In a large
 * queue of the SQL store, the counts can be a few seconds old.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed: the backlog of the workers
 * @param leased claimed and not settled, including messages whose lease has expired
 * @param dead dead letters
 * @param finished ids of finished messages that the store remembers; see {@link
 *     Message#rememberFor}
 * @param paused whether the queue is paused
 * @param pauseNote the reason of the pause and its author; {@link PauseNote#NONE} if the queue is
 *     not paused
 * @param limits the limits of the queue's claims
 * @param overdue the time since the earliest due time of the ready messages, by the store's clock;
 *     zero if no message is ready. A queue that stays overdue needs more workers, or is paused or
 *     limited
 */
public record Counts(
    long scheduled,
    long ready,
    long leased,
    long dead,
    long finished,
    boolean paused,
    PauseNote pauseNote,
    QueueLimits limits,
    Duration overdue) {
  /**
   * Creates the counts of a queue that has no limits and no note of a pause, and whose ready
   * messages have just become due.
   */
  public Counts(long scheduled, long ready, long leased, long dead, long finished, boolean paused) {
    this(
        scheduled,
        ready,
        leased,
        dead,
        finished,
        paused,
        PauseNote.NONE,
        QueueLimits.none(),
        Duration.ZERO);
  }

  /** Returns the number of messages that are neither dead letters nor finished. */
  public long pending() {
    return scheduled + ready + leased;
  }
}
