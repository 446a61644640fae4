package io.punctual.memory;

import io.punctual.embedded.Place;
import io.punctual.embedded.Slots;
import io.punctual.spi.Content;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition's items, by id and by slot. Look-ups of every item visit the slots in steps: an item
 * never changes its slot, and its place and time are in arrays, so that a visit of a million items
 * takes a few milliseconds. Slots are used again, and their arrays never shrink.
 *
 * <p>With a million items, no part of the wanted item is in the processor's caches, so the cost of
 * a call is the number of places in memory that it reads. The index of ids is therefore an array of
 * hashes and slots instead of a map of objects, and a free slot is marked in a single array. The
 * hash begins with a secret, so that nobody can choose ids that collide. Guarded by the partition's
 * lock.
 */
final class ItemTable implements Slots {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  private final long secret = new SecureRandom().nextLong();
  private final SlotIndex byId = new SlotIndex();
  private @Nullable Item[] bySlot = new Item[64];
  private Place[] places = new Place[64];
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

  /** The item in a slot that is not empty. */
  Item get(int slot) {
    return Objects.requireNonNull(bySlot[slot]);
  }

  @Override
  public Place place(int slot) {
    return bySlot[slot] == null ? Place.FREE : places[slot];
  }

  @Override
  public long time(int slot) {
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
