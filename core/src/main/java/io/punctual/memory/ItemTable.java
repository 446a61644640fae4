package io.punctual.memory;

import io.punctual.spi.Content;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lane's items, by id and by slot. Look-ups that have to see every item go through the slots, a
 * span at a time: an item never changes its slot, and its place and time stand in arrays, so that a
 * million items are seen in a few milliseconds. Slots are used again, and their arrays never
 * shrink. Guarded by the lane's lock.
 */
final class ItemTable {
  private final Map<String, Item> byId = new HashMap<>();
  private @Nullable Item[] bySlot = new Item[64];
  private @Nullable Place[] places = new Place[64];
  private long[] times = new long[64];

  /** Slots from here on were never used. */
  private int end;

  private int[] free = new int[16];
  private int freeCount;

  @Nullable Item find(String id) {
    return byId.get(id);
  }

  Item add(String id, Content content) {
    Item item = new Item(id, takeSlot(), content);
    byId.put(id, item);
    bySlot[item.slot] = item;
    return item;
  }

  void remove(Item item) {
    byId.remove(item.id);
    bySlot[item.slot] = null;
    places[item.slot] = null;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = item.slot;
  }

  void put(Item item, Place place, long time) {
    item.place = place;
    item.time = time;
    places[item.slot] = place;
    times[item.slot] = time;
  }

  /** The slots that were ever used: 0 to this, exclusive. */
  int end() {
    return end;
  }

  /** The item in a slot, or null. */
  @Nullable Item at(int slot) {
    return bySlot[slot];
  }

  /** The place of the item in a slot, or null if it is empty. */
  @Nullable Place placeAt(int slot) {
    return places[slot];
  }

  /** The time of the item in a slot that is not empty. */
  long timeAt(int slot) {
    return times[slot];
  }

  private int takeSlot() {
    if (freeCount > 0) {
      return free[--freeCount];
    }
    if (end == bySlot.length) {
      int length = end + (end >> 1);
      bySlot = Arrays.copyOf(bySlot, length);
      places = Arrays.copyOf(places, length);
      times = Arrays.copyOf(times, length);
    }
    return end++;
  }
}
