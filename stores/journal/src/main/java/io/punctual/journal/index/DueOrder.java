package io.punctual.journal.index;

import io.punctual.timer.SlotWheel;

/**
 * The slots of messages (see {@link SlotTable}), or the indexes of leases, in order of time, then
 * of arrival. Both are called slots here. Future slots are on a timing wheel, where the cost of an
 * addition or removal does not depend on the number of slots. Due slots are moved into a small heap
 * in portions. Each slot in the heap has the wheel's time or an earlier time; each slot on the
 * wheel has the wheel's time or a later time. For the journal's thread alone.
 */
public final class DueOrder {
  /** The maximum number of slots that one step moves from the wheel to the heap. */
  private static final int PORTION = 1024;

  /** The maximum number of slots in the heap, where each takes additional memory. */
  private static final int MOST_READY = 16 * PORTION;

  private final SlotWheel wheel;
  private final SlotHeap ready;

  public DueOrder(long nowMillis) {
    wheel = new SlotWheel(nowMillis);
    ready = new SlotHeap(wheel::due, PORTION);
  }

  /** Sets a slot's time, and removes the slot from the order if it is there. */
  public void set(int slot, long millis) {
    remove(slot);
    wheel.note(slot, millis);
  }

  /** The time that was last set for a slot. */
  public long millis(int slot) {
    return wheel.due(slot);
  }

  /**
   * Adds a slot to the order. The time of the slot must have been set, and the slot must not be in
   * the order yet.
   */
  public void add(int slot) {
    if (millis(slot) < wheel.time()) {
      ready.add(slot);
      if (ready.count() > MOST_READY) {
        putBack();
      }
    } else {
      wheel.schedule(slot, millis(slot));
    }
  }

  public boolean holds(int slot) {
    return ready.holds(slot) || wheel.isScheduled(slot);
  }

  public void remove(int slot) {
    if (!ready.remove(slot)) {
      wheel.cancel(slot);
    }
  }

  /**
   * Returns the slot with the earliest time if that time is not after {@code nowMillis}, or {@link
   * SlotTable#NONE}.
   */
  public int first(long nowMillis) {
    if (ready.count() == 0) {
      portion(nowMillis);
    }
    return ready.first(nowMillis);
  }

  /**
   * Returns the earliest time, or {@link Long#MAX_VALUE} if there are no slots. The result is never
   * too late, but may be too early, for example after the slot with the earliest time was removed.
   */
  public long earliest() {
    long first = ready.earliest();
    return ready.count() > 0 ? first : wheel.nextExpiry();
  }

  /** The number of entries in the heap, including invalid entries. */
  int readySize() {
    return ready.entries();
  }

  private void portion(long nowMillis) {
    while (ready.count() < PORTION
        && wheel.nextExpiry() <= nowMillis
        && wheel.time() <= nowMillis) {
      wheel.advance(nowMillis, PORTION - ready.count(), ready::add);
    }
  }

  /**
   * Sets the wheel back to a time before the times of all slots in the heap, and moves these slots
   * to the wheel. An overdue message then takes no more memory than a message that is not due yet.
   */
  private void putBack() {
    long first = ready.earliest();
    int unused = wheel.advance(first == Long.MIN_VALUE ? first : first - 1, 1, ready::add);
    while (ready.count() > 0) {
      int slot = ready.first(Long.MAX_VALUE);
      ready.removeFirst();
      wheel.schedule(slot, millis(slot));
    }
  }
}
