package io.punctual.journal;

import java.util.Arrays;

/**
 * Finds slots by the hash of their ids: open addressing with linear probing over slot numbers, 5 to
 * 8 bytes a message. It is cut into parts by the upper bits of the hash, each of which grows alone,
 * so that neither memory nor time jumps when the table grows. What is found has the same hash, and
 * is for the caller to verify. For the engine's thread alone.
 */
final class IdTable {
  private static final int PART_BITS = 9;
  private static final int[] NOTHING = {};

  private final SlotTable slots;
  private final int[][] parts = new int[1 << PART_BITS][];
  private final int[] sizes = new int[1 << PART_BITS];

  IdTable(SlotTable slots) {
    this.slots = slots;
    Arrays.fill(parts, NOTHING);
  }

  /** A walk over the slots with one hash. */
  final class Matches {
    private final int[] part;
    private final int hash;
    private int at;

    private Matches(int hash) {
      this.hash = hash;
      part = parts[hash >>> (32 - PART_BITS)];
      at = part.length == 0 ? 0 : home(hash, part.length);
    }

    /** The next slot, or {@link SlotTable#NONE}. */
    int next() {
      while (part.length > 0 && part[at] != 0) {
        int slot = part[at] - 1;
        at = at + 1 == part.length ? 0 : at + 1;
        if (slots.hash(slot) == hash) {
          return slot;
        }
      }
      return SlotTable.NONE;
    }
  }

  Matches matches(int hash) {
    return new Matches(hash);
  }

  void add(int slot) {
    int hash = slots.hash(slot);
    int number = hash >>> (32 - PART_BITS);
    if ((sizes[number] + 1) * 5L > parts[number].length * 4L) {
      parts[number] = grown(parts[number]);
    }
    insert(parts[number], slot);
    sizes[number]++;
  }

  void remove(int slot) {
    int hash = slots.hash(slot);
    int number = hash >>> (32 - PART_BITS);
    int[] part = parts[number];
    int gap = home(hash, part.length);
    while (part[gap] != slot + 1) {
      gap = gap + 1 == part.length ? 0 : gap + 1;
    }
    close(part, gap);
    sizes[number]--;
  }

  /** Moves entries back into the gap, so that no search ends too early and no marks are needed. */
  private void close(int[] part, int from) {
    int gap = from;
    int at = from;
    while (true) {
      at = at + 1 == part.length ? 0 : at + 1;
      if (part[at] == 0) {
        part[gap] = 0;
        return;
      }
      int home = home(slots.hash(part[at] - 1), part.length);
      boolean staysReachable = gap <= at ? (home <= gap || home > at) : (home <= gap && home > at);
      if (staysReachable) {
        part[gap] = part[at];
        gap = at;
      }
    }
  }

  private int[] grown(int[] part) {
    int[] larger = new int[Math.max(8, part.length + (part.length >> 2))];
    for (int entry : part) {
      if (entry != 0) {
        insert(larger, entry - 1);
      }
    }
    return larger;
  }

  private void insert(int[] part, int slot) {
    int at = home(slots.hash(slot), part.length);
    while (part[at] != 0) {
      at = at + 1 == part.length ? 0 : at + 1;
    }
    part[at] = slot + 1;
  }

  /** The lower bits choose the place, since the upper ones chose the part. */
  private static int home(int hash, int length) {
    long spread = (hash << PART_BITS) & 0xFFFF_FFFFL;
    return (int) ((spread * length) >>> 32);
  }
}
