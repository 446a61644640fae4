package io.punctual.memory;

import io.punctual.spi.Content;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A partition's items, by id and by slot. Look-ups that have to see every item go through the
 * slots, a span at a time: an item never changes its slot, and its place and time stand in arrays,
 * so that a million items are seen in a few milliseconds. Slots are used again, and their arrays
 * never shrink.
 *
 * <p>Among a million items nothing of the one that is meant is in the processor's caches, so what
 * counts is how many places in memory a call goes to: the index of ids is an array of hashes and
 * slots rather than a map of objects, and a slot that becomes empty is only marked in one array.
 * Nobody can choose ids that collide, since the hash begins with a secret. Guarded by the
 * partition's lock.
 */
final class ItemTable {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  private final long secret = new SecureRandom().nextLong();
  private final SlotIndex byId = new SlotIndex();
  private @Nullable Item[] bySlot = new Item[64];
  private @Nullable Place[] places = new Place[64];
  private long[] times = new long[64];

  /** Slots from here on were never used. */
  private int end;

  private int[] free = new int[16];
  private int freeCount;

  @Nullable Item find(String id) {
    int hash = hash(id);
    for (int at = byId.first(hash); at != SlotIndex.NONE; at = byId.next(hash, at)) {
      Item item = bySlot[byId.slot(at)];
      if (item != null && item.id.equals(id)) {
        return item;
      }
    }
    return null;
  }

  Item add(String id, Content content) {
    Item item = new Item(id, hash(id), takeSlot(), content);
    byId.add(item.hash, item.slot);
    bySlot[item.slot] = item;
    return item;
  }

  void remove(Item item) {
    byId.remove(item.hash, item.slot);
    bySlot[item.slot] = null;
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

  boolean isEmpty() {
    return end == freeCount;
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
    return bySlot[slot] == null ? null : places[slot];
  }

  /** The time of the item in a slot that is not empty. */
  long timeAt(int slot) {
    return times[slot];
  }

  /** Mixes character after character by xor and multiplication, as FNV does. */
  private int hash(String id) {
    long mixed = secret;
    for (int i = 0; i < id.length(); i++) {
      mixed = (mixed ^ id.charAt(i)) * PRIME;
      mixed ^= mixed >>> 29;
    }
    return (int) ((mixed * PRIME) >>> 32);
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
