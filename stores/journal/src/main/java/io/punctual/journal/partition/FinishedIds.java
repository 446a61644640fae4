package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.journal.index.DueHeap;
import io.punctual.journal.index.SlotTable;

/**
 * The ids of finished messages that a queue remembers for some time, in the order in which they
 * expire. An id that is scheduled again or purged before it expires stays in this order until then,
 * and is skipped. For the journal's thread alone.
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
   * Returns the slot of the id that expired first, or {@link SlotTable#NONE} if no id has expired.
   * The caller removes the slot's message.
   */
  int firstForgotten(long nowMillis) {
    while (byEnd.size() > 0 && byEnd.firstMillis() <= nowMillis) {
      int slot = byEnd.firstSlot();
      if (partition.place(slot) == Place.FINISHED && partition.time(slot) == byEnd.firstMillis()) {
        return slot;
      }
      byEnd.removeFirst();
    }
    return SlotTable.NONE;
  }
}
