package io.punctual;

/**
 * The number of messages of a queue in each state, counted without stopping the queue. In a large
 * queue of the SQL store, the counts can be a few seconds old.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed: the backlog of the workers
 * @param leased claimed and not settled, including messages whose lease has expired
 * @param dead dead letters
 * @param done ids of finished messages that the store remembers; see {@link Message#rememberFor}
 * @param paused whether the queue is paused
 * @param pauseNote the reason of the pause and its author; {@link PauseNote#NONE} if the queue is
 *     not paused
 * @param limits the limits of the queue's claims
 */
public record Counts(
    long scheduled,
    long ready,
    long leased,
    long dead,
    long done,
    boolean paused,
    PauseNote pauseNote,
    QueueLimits limits) {
  /** Creates the counts of a queue without limits, which was paused without a note. */
  public Counts(long scheduled, long ready, long leased, long dead, long done, boolean paused) {
    this(scheduled, ready, leased, dead, done, paused, PauseNote.NONE, QueueLimits.none());
  }

  /** Returns the number of messages that are neither dead letters nor finished. */
  public long pending() {
    return scheduled + ready + leased;
  }
}
