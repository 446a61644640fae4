package io.punctual.journal.index;

import io.punctual.timer.SlotWheel;
import java.util.BitSet;

/**
 * Slots in order of time, then of arrival. Future slots are on a timing wheel, where the cost to
 * add and to remove does not depend on their number. Due slots are moved into a small heap in
 * portions. All slots in the heap are due no later than the wheel's time, and so before all slots
 * on the wheel. For the journal's thread alone.
 */
public final class DueOrder {
  /** How many slots are moved ahead of need. */
  private static final int PORTION = 1024;

  /** How many slots may wait in the heap, where they take memory of their own. */
  private static final int MOST_READY = 16 * PORTION;

  private final SlotWheel wheel;
  private final DueHeap ready = new DueHeap();
  private final BitSet isReady = new BitSet();
  private long arrivals;
  private int readyCount;

  public DueOrder(long nowMillis) {
    wheel = new SlotWheel(nowMillis);
  }

  /** Sets a slot's time and takes it out of the order, if it is in it. */
  public void set(int slot, long millis) {
    remove(slot);
    wheel.note(slot, millis);
  }

  /** The time that was last set. */
  public long millis(int slot) {
    return wheel.due(slot);
  }

  /** Puts a slot whose time was set into the order; it must not be in it. */
  public void add(int slot) {
    if (millis(slot) <= wheel.time()) {
      makeReady(slot);
      if (readyCount > MOST_READY) {
        putBack();
      }
    } else {
      wheel.schedule(slot, millis(slot));
    }
  }

  public boolean holds(int slot) {
    return isReady.get(slot) || wheel.isScheduled(slot);
  }

  public void remove(int slot) {
    if (isReady.get(slot)) {
      isReady.clear(slot);
      readyCount--;
      if (ready.size() > 2 * (PORTION + readyCount)) {
        dropAllInvalid();
      }
    } else {
      wheel.cancel(slot);
    }
  }

  /** The slot whose time comes first if it has come by now, or {@link SlotTable#NONE}. */
  public int first(long nowMillis) {
    if (readyCount == 0) {
      portion(nowMillis);
    }
    dropInvalid();
    return ready.size() > 0 && ready.firstMillis() <= nowMillis
        ? ready.firstSlot()
        : SlotTable.NONE;
  }

  /** The earliest time, or {@link Long#MAX_VALUE}; too early at most once after a removal. */
  public long earliest() {
    dropInvalid();
    return ready.size() > 0 ? ready.firstMillis() : wheel.nextExpiry();
  }

  /** How many entries the heap has, which take memory of their own. */
  int readySize() {
    return ready.size();
  }

  private void portion(long nowMillis) {
    while (readyCount < PORTION && wheel.nextExpiry() <= nowMillis && wheel.time() <= nowMillis) {
      wheel.advance(nowMillis, PORTION - readyCount, this::makeReady);
    }
  }

  private void makeReady(int slot) {
    isReady.set(slot);
    readyCount++;
    ready.add(millis(slot), ++arrivals, slot);
  }

  /**
   * Sets the wheel back to a time before all ready messages, and moves them to the wheel. An
   * overdue message then takes no more memory than a message that is not due yet.
   */
  private void putBack() {
    dropInvalid();
    long first = ready.firstMillis();
    int unused = wheel.advance(first == Long.MIN_VALUE ? first : first - 1, 1, this::makeReady);
    while (ready.size() > 0) {
      int slot = ready.firstSlot();
      if (isValid(ready.firstMillis(), slot)) {
        isReady.clear(slot);
        readyCount--;
        wheel.schedule(slot, ready.firstMillis());
      }
      ready.removeFirst();
    }
  }

  /**
   * Drops invalid entries from the top of the heap. The removal of a slot leaves its entry in the
   * heap and makes it invalid.
   */
  private void dropInvalid() {
    while (ready.size() > 0 && !isValid(ready.firstMillis(), ready.firstSlot())) {
      ready.removeFirst();
    }
  }

  private void dropAllInvalid() {
    BitSet seen = new BitSet();
    ready.retain(
        (millis, slot) -> {
          boolean stays = isValid(millis, slot) && !seen.get(slot);
          seen.set(slot);
          return stays;
        });
  }

  private boolean isValid(long millis, int slot) {
    return isReady.get(slot) && wheel.due(slot) == millis;
  }
}
