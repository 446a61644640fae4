package io.punctual.memory;

import io.punctual.timer.SlotWheel;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting items in the order of their due times; items with equal due times are in the order of
 * their arrival.
 *
 * <p>Combines a timing wheel and a heap. The wheel holds the items that were due at or after the
 * wheel's time when they were added; its cost does not depend on their number. The wheel can't sort
 * items that are due before its time. So the heap holds the items that were added with an earlier
 * due time, and the items that left the wheel and were not claimed yet. Each item in the wheel is
 * due at {@link #handedOver} or later. If the first item of the heap is due at {@code handedOver}
 * or earlier, it is the first of all items.
 *
 * <p>When the clock steps back, the wheel's time steps back too. The heap may then hold items that
 * are no longer due, and keeps them until they are due again. Guarded by the partition's lock.
 */
final class DueOrder {
  /** The number of items to take from the wheel at a time. */
  private static final int BATCH = 16;

  /**
   * A claim ends early after this many advances of the wheel that handed over no item. Each of them
   * only moved some thousands of items to lower levels.
   */
  private static final int MAX_ADVANCES = 64;

  private final ItemTable items;
  private final SlotWheel wheel;
  private final ItemHeap heap = new ItemHeap();
  private final IntConsumer toHeap = this::toHeap;
  private long handedOver;

  DueOrder(ItemTable items, long nowMillis) {
    this.items = items;
    wheel = new SlotWheel(nowMillis);
    handedOver = nowMillis;
  }

  /**
   * Makes room for an item that may be in this order already, so that the next {@link #add} of the
   * item allocates no memory.
   */
  void makeRoom(Item item) {
    heap.makeRoom();
    if (!wheel.isScheduled(item.slot)) {
      wheel.note(item.slot, item.time);
    }
  }

  void add(Item item) {
    if (item.time >= wheel.time()) {
      wheel.schedule(item.slot, item.time);
    } else {
      heap.add(item);
    }
  }

  void remove(Item item) {
    if (!wheel.cancel(item.slot)) {
      heap.remove(item);
    }
  }

  /**
   * A lower bound of the earliest due time; {@link Long#MAX_VALUE} if no item waits. It can be too
   * early in two cases: after the first item in the wheel was removed, until the wheel reaches the
   * due time of that item; and after an advance of the wheel that reached a limit.
   */
  long earliest() {
    Item first = heap.first();
    return first == null ? wheel.nextExpiry() : Math.min(first.time, wheel.nextExpiry());
  }

  /**
   * Returns the item with the earliest due time, without removing it, or null if no item is due.
   * Also returns null after {@link #MAX_ADVANCES} advances of the wheel without a result. Then
   * {@link #earliest} is not later than {@code nowMillis}, so that the client claims again.
   */
  @Nullable Item firstDue(long nowMillis) {
    if (!isFirstInHeap()) {
      advance(nowMillis);
    }
    Item first = heap.first();
    return first != null && first.time <= nowMillis && isFirstInHeap() ? first : null;
  }

  private boolean isFirstInHeap() {
    Item first = heap.first();
    return first != null && first.time <= handedOver;
  }

  private void advance(long nowMillis) {
    for (int advances = 0; advances < MAX_ADVANCES; advances++) {
      if (wheel.advance(nowMillis, BATCH, toHeap) > 0) {
        return;
      }
      if (wheel.nextExpiry() > nowMillis) {
        handedOver = nowMillis;
        return;
      }
    }
  }

  private void toHeap(int slot) {
    Item item = items.at(slot);
    if (item == null) {
      throw new IllegalStateException("The wheel holds an empty slot: " + slot);
    }
    heap.add(item);
    handedOver = item.time;
  }
}
