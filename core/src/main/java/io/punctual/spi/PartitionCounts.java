package io.punctual.spi;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;

/**
 * The number of messages of a partition in each state.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed
 * @param leased claimed and not settled, including messages whose lease has expired
 * @param dead dead letters
 * @param done remembered ids of finished messages
 * @param paused whether the queue is paused
 * @param pauseNote the reason of the pause and its author; {@link PauseNote#NONE} if the queue is
 *     not paused
 * @param limits the limits of the queue's claims
 */
public record PartitionCounts(
    long scheduled,
    long ready,
    long leased,
    long dead,
    long done,
    boolean paused,
    PauseNote pauseNote,
    QueueLimits limits) {
  /** Creates the counts of a queue without limits, which was paused without a note. */
  public PartitionCounts(
      long scheduled, long ready, long leased, long dead, long done, boolean paused) {
    this(scheduled, ready, leased, dead, done, paused, PauseNote.NONE, QueueLimits.none());
  }
}
