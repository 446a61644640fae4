package io.punctual.memory;

import io.punctual.timer.SlotWheel;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting items, in order of their due times, and of arrival where these are equal.
 *
 * <p>Two orders in one. A timing wheel of milliseconds holds the items that are due after the
 * wheel's time, at a cost that does not depend on their number. It hands items over in order, but
 * has no order for items that are due before its time. So a heap holds items that were scheduled in
 * the past or given back, and items that the wheel has handed over and no claim has taken. Each
 * item in the wheel is due at {@link #handedOver} or later, which decides whether the first of the
 * heap is the first of all.
 *
 * <p>A clock that steps back takes the wheel's time with it. The heap may then hold items that are
 * not due any more, and keeps them until they are. Guarded by the partition's lock.
 */
final class DueOrder {
  /** How many items are taken from the wheel at a time. */
  private static final int BATCH = 16;

  /**
   * How often an advance may come back without an item, since the wheel sorts near items first,
   * some thousands at a time. After that the claim is cut short.
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
   * The earliest due time, or {@link Long#MAX_VALUE}. Never too late. Too early once, if the first
   * item was cancelled.
   */
  long earliest() {
    Item first = heap.first();
    return first == null ? wheel.nextExpiry() : Math.min(first.time, wheel.nextExpiry());
  }

  /**
   * The item that is due first, if it is due by now; it stays where it is. Null if there is none,
   * or if the work was cut short: then {@link #earliest} is not later than now.
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
