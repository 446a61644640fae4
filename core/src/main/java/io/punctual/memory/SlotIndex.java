package io.punctual.memory;

/**
 * Finds slots by a hash, with open addressing and linear probing. The upper half of an entry is the
 * hash, and the lower half is the slot's number plus one. So searches, removals and the growth of
 * the array read only this array. Different ids can have the same hash, so the caller compares the
 * ids of the found slots. Guarded by the partition's lock.
 */
final class SlotIndex {
  static final int NONE = -1;

  private long[] entries = new long[128];
  private int size;

  /** Makes room for a further entry, so that the next {@link #add} allocates no memory. */
  void makeRoom() {
    if ((size + 1) * 2L > entries.length) {
      grow();
    }
  }

  void add(int hash, int slot) {
    makeRoom();
    size++;
    insert(entries, entry(hash, slot));
  }

  /** The position of the first entry with a hash; {@link #NONE} if there is no such entry. */
  int first(int hash) {
    return search(hash, hash);
  }

  /** The position of the next entry with the hash; {@link #NONE} if there is no further entry. */
  int next(int hash, int position) {
    return search(hash, position + 1);
  }

  int slot(int position) {
    return (int) entries[position] - 1;
  }

  /** Removes an entry, and moves later entries back, so that no search ends too early. */
  void remove(int hash, int slot) {
    int mask = entries.length - 1;
    int gap = hash & mask;
    while (entries[gap] != entry(hash, slot)) {
      gap = (gap + 1) & mask;
    }
    for (int at = (gap + 1) & mask; entries[at] != 0; at = (at + 1) & mask) {
      int displaced = (at - hash(entries[at])) & mask;
      if (displaced >= ((at - gap) & mask)) {
        entries[gap] = entries[at];
        gap = at;
      }
    }
    entries[gap] = 0;
    size--;
  }

  private int search(int hash, int from) {
    int mask = entries.length - 1;
    for (int at = from & mask; entries[at] != 0; at = (at + 1) & mask) {
      if (hash(entries[at]) == hash) {
        return at;
      }
    }
    return NONE;
  }

  private void grow() {
    long[] larger = new long[entries.length * 2];
    for (long entry : entries) {
      if (entry != 0) {
        insert(larger, entry);
      }
    }
    entries = larger;
  }

  private static void insert(long[] into, long entry) {
    int mask = into.length - 1;
    int at = hash(entry) & mask;
    while (into[at] != 0) {
      at = (at + 1) & mask;
    }
    into[at] = entry;
  }

  private static long entry(int hash, int slot) {
    return ((long) hash << 32) | (slot + 1L);
  }

  private static int hash(long entry) {
    return (int) (entry >>> 32);
  }
}
