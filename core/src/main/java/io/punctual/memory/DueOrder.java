package io.punctual.memory;

import org.jspecify.annotations.Nullable;

/** The waiting items, in order of their due times. Guarded by the lane's lock. */
final class DueOrder {
  private final ItemHeap items = new ItemHeap();

  void add(Item item) {
    items.add(item);
  }

  void remove(Item item) {
    items.remove(item);
  }

  /** The earliest due time, or {@link Long#MAX_VALUE}. */
  long earliest() {
    Item first = items.first();
    return first == null ? Long.MAX_VALUE : first.time;
  }

  /** The item that is due first, if it is due by now; it stays where it is. */
  @Nullable Item firstDue(long nowMillis) {
    Item first = items.first();
    return first != null && first.time <= nowMillis ? first : null;
  }
}
