package io.punctual.journal.index;

import java.util.BitSet;
import java.util.function.IntToLongFunction;

/**
 * A heap of slots in order of time, then of arrival, from which any slot can be removed. {@link
 * #remove} leaves the entry of a slot in the heap and makes the entry invalid. Invalid entries are
 * dropped when they reach the top, and all at once when there are too many. For the journal's
 * thread alone.
 */
public final class SlotHeap {
  private final DueHeap entries = new DueHeap();
  private final BitSet held = new BitSet();
  private final IntToLongFunction millis;
  private final int slack;
  private long arrivals;
  private int count;

  /**
   * Creates an empty heap.
   *
   * @param millis the time of a slot, which must not change while the slot is in the heap
   * @param slack {@link #remove} drops the invalid entries if the heap has more than two entries
   *     for each slot and for each of {@code slack} further slots
   */
  public SlotHeap(IntToLongFunction millis, int slack) {
    this.millis = millis;
    this.slack = slack;
  }

  public void add(int slot) {
    held.set(slot);
    count++;
    entries.add(millis.applyAsLong(slot), ++arrivals, slot);
  }

  boolean holds(int slot) {
    return held.get(slot);
  }

  /** Removes a slot. Returns false if the slot was not in the heap. */
  public boolean remove(int slot) {
    if (!held.get(slot)) {
      return false;
    }
    held.clear(slot);
    count--;
    if (entries.size() > 2 * (slack + count)) {
      dropAllInvalid();
    }
    return true;
  }

  int count() {
    return count;
  }

  /** The number of entries, including invalid entries. */
  public int entries() {
    return entries.size();
  }

  /** Returns the earliest time, or {@link Long#MAX_VALUE} if there are no slots. */
  long earliest() {
    dropInvalid();
    return entries.size() > 0 ? entries.firstMillis() : Long.MAX_VALUE;
  }

  /**
   * Returns the slot with the earliest time if that time is not after {@code nowMillis}, or {@link
   * SlotTable#NONE}.
   */
  public int first(long nowMillis) {
    dropInvalid();
    return entries.size() > 0 && entries.firstMillis() <= nowMillis
        ? entries.firstSlot()
        : SlotTable.NONE;
  }

  void removeFirst() {
    held.clear(entries.firstSlot());
    count--;
    entries.removeFirst();
  }

  private void dropInvalid() {
    while (entries.size() > 0 && !isValid(entries.firstMillis(), entries.firstSlot())) {
      entries.removeFirst();
    }
  }

  /** Drops all invalid entries, and all but a single valid entry of each slot. */
  private void dropAllInvalid() {
    BitSet seen = new BitSet();
    entries.retain(
        (time, slot) -> {
          boolean stays = isValid(time, slot) && !seen.get(slot);
          if (stays) {
            seen.set(slot);
          }
          return stays;
        });
  }

  private boolean isValid(long time, int slot) {
    return held.get(slot) && millis.applyAsLong(slot) == time;
  }
}
