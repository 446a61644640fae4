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
 * @param finished remembered ids of finished messages
 * @param paused whether the queue is paused
 * @param pauseNote the reason of the pause and its author; {@link PauseNote#NONE} if the queue is
 *     not paused
 * @param limits the limits of the queue's claims
 * @param overdueMillis the time since the earliest due time of the ready messages, by the store's
 *     clock, in milliseconds; 0 if no message is ready
 */
public record PartitionCounts(
    long scheduled,
    long ready,
    long leased,
    long dead,
    long finished,
    boolean paused,
    PauseNote pauseNote,
    QueueLimits limits,
    long overdueMillis) {
  /**
   * Creates the counts of a queue that has no limits and no note of a pause, and whose ready
   * messages have just become due.
   */
  public PartitionCounts(
      long scheduled, long ready, long leased, long dead, long finished, boolean paused) {
    this(scheduled, ready, leased, dead, finished, paused, PauseNote.NONE, QueueLimits.none(), 0);
  }

  /**
   * Returns the {@link #overdueMillis} of messages.
   *
   * @param ready the number of ready messages
   * @param firstDueMillis the earliest due time of the ready messages, if there are any
   */
  public static long overdueMillis(long ready, long firstDueMillis, long nowMillis) {
    if (ready == 0 || firstDueMillis >= nowMillis) {
      return 0;
    }
    long overdue = nowMillis - firstDueMillis;
    return overdue < 0 ? Long.MAX_VALUE : overdue;
  }
}
