package io.punctual.embedded;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.spi.PartitionCounts;

/** Counts the messages in each state, and finds the earliest due time of the ready messages. */
public final class StateCounts implements SlotScan {
  private final Slots slots;
  private final long nowMillis;
  private long scheduled;
  private long ready;
  private long leased;
  private long dead;
  private long finished;
  private long firstDue = Long.MAX_VALUE;

  /** Creates counts of zero. */
  public StateCounts(Slots slots, long nowMillis) {
    this.slots = slots;
    this.nowMillis = nowMillis;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      switch (slots.place(slot)) {
        case FREE -> {}
        case WAITING -> countWaiting(slots.time(slot));
        case LEASED -> leased++;
        case DEAD -> dead++;
        case FINISHED -> finished += slots.isForgotten(slot, nowMillis) ? 0 : 1;
      }
    }
  }

  private void countWaiting(long dueMillis) {
    if (dueMillis <= nowMillis) {
      ready++;
      firstDue = Math.min(firstDue, dueMillis);
    } else {
      scheduled++;
    }
  }

  /** The number of messages in each state, among the visited slots. */
  public PartitionCounts counts(boolean paused, PauseNote note, QueueLimits limits) {
    return new PartitionCounts(
        scheduled,
        ready,
        leased,
        dead,
        finished,
        paused,
        note,
        limits,
        PartitionCounts.overdueMillis(ready, firstDue, nowMillis));
  }
}
