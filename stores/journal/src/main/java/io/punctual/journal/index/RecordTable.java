package io.punctual.journal.index;

import org.jspecify.annotations.Nullable;

/**
 * The location of each message's latest state record, by the message's slot (see {@link
 * SlotTable}), for messages that have a state record: open addressing with linear probing. The
 * table is divided into parts. Each part grows separately, so that the growth of the table causes
 * no long pause and needs little memory at once. For the journal's thread alone.
 */
public final class RecordTable {
  private static final int PART_BITS = 8;

  private final @Nullable Part[] parts = new Part[1 << PART_BITS];

  public void put(int slot, long location, int length) {
    Part part = parts[number(slot)];
    if (part == null) {
      part = new Part();
      parts[number(slot)] = part;
    }
    part.put(slot, location, length);
  }

  /** Returns the location of a slot's record. The slot must have a record. */
  public long location(int slot) {
    return part(slot).location(slot);
  }

  /** Returns the length in bytes of a slot's record. The slot must have a record. */
  public int length(int slot) {
    return part(slot).length(slot);
  }

  public void remove(int slot) {
    part(slot).remove(slot);
  }

  private Part part(int slot) {
    Part part = parts[number(slot)];
    if (part == null) {
      throw new IllegalStateException("There is no record of slot " + slot);
    }
    return part;
  }

  /**
   * Returns the number of a slot's part, which is the upper bits of the mixed slot number. The
   * other bits differ within a part, so the index in the part uses them.
   */
  private static int number(int slot) {
    return mixed(slot) >>> (Integer.SIZE - PART_BITS);
  }

  private static int mixed(int slot) {
    return slot * 0x9E37_79B9;
  }

  private static final class Part {
    private int[] keys = new int[4];
    private long[] locations = new long[4];
    private int[] lengths = new int[4];
    private int size;

    void put(int slot, long location, int length) {
      int at = find(slot);
      if (keys[at] == 0) {
        if (++size * 4 > keys.length * 3) {
          grow();
          at = find(slot);
        }
        keys[at] = slot + 1;
      }
      locations[at] = location;
      lengths[at] = length;
    }

    long location(int slot) {
      return locations[find(slot)];
    }

    int length(int slot) {
      return lengths[find(slot)];
    }

    void remove(int slot) {
      int gap = find(slot);
      int at = gap;
      size--;
      while (true) {
        at = (at + 1) & (keys.length - 1);
        if (keys[at] == 0) {
          keys[gap] = 0;
          return;
        }
        int home = home(keys[at] - 1);
        if (gap <= at ? (home <= gap || home > at) : (home <= gap && home > at)) {
          move(at, gap);
          gap = at;
        }
      }
    }

    private void grow() {
      int[] oldKeys = keys;
      long[] oldLocations = locations;
      int[] oldLengths = lengths;
      keys = new int[oldKeys.length * 2];
      locations = new long[keys.length];
      lengths = new int[keys.length];
      for (int i = 0; i < oldKeys.length; i++) {
        if (oldKeys[i] != 0) {
          int at = find(oldKeys[i] - 1);
          keys[at] = oldKeys[i];
          locations[at] = oldLocations[i];
          lengths[at] = oldLengths[i];
        }
      }
    }

    private void move(int from, int to) {
      keys[to] = keys[from];
      locations[to] = locations[from];
      lengths[to] = lengths[from];
    }

    private int find(int slot) {
      int at = home(slot);
      while (keys[at] != 0 && keys[at] != slot + 1) {
        at = (at + 1) & (keys.length - 1);
      }
      return at;
    }

    private int home(int slot) {
      int mixed = mixed(slot);
      return (mixed ^ (mixed >>> 16)) & (keys.length - 1);
    }
  }
}
