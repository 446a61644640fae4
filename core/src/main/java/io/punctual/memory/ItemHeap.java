package io.punctual.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of items in the order of time, then of arrival. Each item knows its index in the
 * heap, so that any item can be removed. Adding an item that is later than all items costs a few
 * instructions; other additions and removals take logarithmic time. An item is in one heap at most.
 * Guarded by the partition's lock.
 */
final class ItemHeap {
  static final int NOWHERE = -1;

  private @Nullable Item[] items = new Item[16];
  private int size;

  int size() {
    return size;
  }

  @Nullable Item first() {
    return size == 0 ? null : items[0];
  }

  boolean holds(Item item) {
    return item.heapIndex != NOWHERE;
  }

  /** Makes room for a further item, so that the next {@link #add} allocates no memory. */
  void makeRoom() {
    if (size == items.length) {
      items = Arrays.copyOf(items, size * 2);
    }
  }

  void add(Item item) {
    makeRoom();
    siftUp(item, size++);
  }

  /** Removes an item that this heap holds. */
  void remove(Item item) {
    int gap = item.heapIndex;
    item.heapIndex = NOWHERE;
    Item last = at(--size);
    items[size] = null;
    if (last == item) {
      return;
    }
    if (gap > 0 && isBefore(last, at((gap - 1) / 2))) {
      siftUp(last, gap);
    } else {
      siftDown(last, gap);
    }
  }

  private void siftUp(Item item, int from) {
    int gap = from;
    while (gap > 0) {
      Item parent = at((gap - 1) / 2);
      if (!isBefore(item, parent)) {
        break;
      }
      gap = put(parent, gap, (gap - 1) / 2);
    }
    put(item, gap, gap);
  }

  private void siftDown(Item item, int from) {
    int gap = from;
    while (gap < size / 2) {
      int child = earlierChild(gap);
      if (!isBefore(at(child), item)) {
        break;
      }
      gap = put(at(child), gap, child);
    }
    put(item, gap, gap);
  }

  private int earlierChild(int index) {
    int left = 2 * index + 1;
    int right = left + 1;
    return right < size && isBefore(at(right), at(left)) ? right : left;
  }

  private int put(Item item, int index, int leaves) {
    items[index] = item;
    item.heapIndex = index;
    return leaves;
  }

  /** Returns the item at an index that is in use, so that the item is not null. */
  @SuppressWarnings("NullAway")
  private Item at(int index) {
    return items[index];
  }

  private static boolean isBefore(Item one, Item other) {
    return one.time < other.time || (one.time == other.time && one.arrival < other.arrival);
  }
}
