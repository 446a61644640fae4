package io.punctual.memory;

import io.punctual.embedded.PageSearch;
import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition's items, by id and by slot. A scan of all items can visit the slots in steps, because
 * an item never changes its slot. Places and times are in arrays, so that a scan of a million items
 * takes a few milliseconds. Free slots are reused, and the arrays never shrink.
 *
 * <p>With a million items, the processor's caches rarely hold the wanted item, so the cost of a
 * call depends on the number of memory locations that it reads. The index of ids is therefore an
 * array of hashes and slots instead of a map of objects, and a free slot is marked in a single
 * array. The hash starts from a secret random number, so that nobody can choose ids that collide.
 * Guarded by the partition's lock.
 */
final class ItemTable implements PageSearch.Messages<Item> {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  private final long secret = new SecureRandom().nextLong();
  private final SlotIndex byId = new SlotIndex();
  private @Nullable Item[] bySlot = new Item[64];
  private Place[] places = new Place[64];
  private long[] times = new long[64];

  /** The first slot that was never used; no later slot was used either. */
  private int end;

  /** The free slot that is used next, if there is one; its time is the number of the next one. */
  private int firstFree;

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

  /** Creates an item, and makes room for it, so that {@link #add} allocates no memory. */
  Item create(String id, Content content) {
    byId.makeRoom();
    makeRoom();
    return new Item(id, hash(id), freeCount > 0 ? firstFree : end, content);
  }

  /** Adds the item that was created last. */
  void add(Item item) {
    if (freeCount > 0) {
      firstFree = (int) times[item.slot];
      freeCount--;
    } else {
      end++;
    }
    byId.add(item.hash, item.slot);
    bySlot[item.slot] = item;
  }

  void remove(Item item) {
    byId.remove(item.hash, item.slot);
    bySlot[item.slot] = null;
    times[item.slot] = firstFree;
    firstFree = item.slot;
    freeCount++;
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

  /** The end of the slots that were ever used, exclusive. */
  int end() {
    return end;
  }

  /** The item in a slot; null if the slot is free. */
  @Nullable Item at(int slot) {
    return bySlot[slot];
  }

  /** The item in a slot, which must hold an item. */
  Item get(int slot) {
    return Objects.requireNonNull(bySlot[slot]);
  }

  @Override
  public Item message(int slot) {
    return get(slot);
  }

  @Override
  public String id(int slot, Item item) {
    return item.id;
  }

  @Override
  public Entry entry(int slot, long nowMillis, boolean withContent) {
    return get(slot).toEntry(nowMillis, withContent);
  }

  @Override
  public Place place(int slot) {
    return bySlot[slot] == null ? Place.FREE : places[slot];
  }

  @Override
  public long time(int slot) {
    return times[slot];
  }

  /** Mixes in each character by xor and multiplication, like the hash function FNV. */
  private int hash(String id) {
    long mixed = secret;
    for (int i = 0; i < id.length(); i++) {
      mixed = (mixed ^ id.charAt(i)) * PRIME;
      mixed ^= mixed >>> 29;
    }
    return (int) ((mixed * PRIME) >>> 32);
  }

  private void makeRoom() {
    if (freeCount == 0 && end == bySlot.length) {
      int length = end + (end >> 1);
      var moreItems = Arrays.copyOf(bySlot, length);
      var morePlaces = Arrays.copyOf(places, length);
      var moreTimes = Arrays.copyOf(times, length);
      bySlot = moreItems; // all or, if the memory ends above, none
      places = morePlaces;
      times = moreTimes;
    }
  }
}
