package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.journal.index.DueHeap;
import io.punctual.journal.index.SlotTable;

/**
 * The remembered ids of a queue, in the order in which they are forgotten. An id that is scheduled
 * again or purged before its time stays in this order until its time, and is then skipped. For the
 * journal's thread alone.
 */
final class FinishedIds {
  private final PartitionState partition;
  private final DueHeap byEnd = new DueHeap();
  private long arrivals;

  FinishedIds(PartitionState partition) {
    this.partition = partition;
  }

  /** Adds a slot whose place and time have been set. */
  void add(int slot) {
    byEnd.add(partition.time(slot), ++arrivals, slot);
  }

  /**
   * Returns the slot whose time ended first if it has ended by now, or {@link SlotTable#NONE}. The
   * caller removes the slot's message.
   */
  int firstForgotten(long nowMillis) {
    while (byEnd.size() > 0 && byEnd.firstMillis() <= nowMillis) {
      int slot = byEnd.firstSlot();
      if (partition.place(slot) == Place.DONE && partition.time(slot) == byEnd.firstMillis()) {
        return slot;
      }
      byEnd.removeFirst();
    }
    return SlotTable.NONE;
  }
}
