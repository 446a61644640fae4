package io.punctual.journal.index;

import java.util.Arrays;

/**
 * Finds the slots of messages (see {@link SlotTable}) by the hashes of the ids: open addressing
 * with linear probing over slot numbers, 5 to 7.5 bytes a message in a large table. The upper bits
 * of the hash divide the table into parts. Each part grows separately, so that the growth of the
 * table causes no long pause and needs little memory at once. The upper bits of an entry are the
 * lowest bits of the hash. With them a search rejects most entries of different hashes without a
 * read of the slot. A search returns all slots with the same hash; the caller verifies the id. For
 * the journal's thread alone.
 */
public final class IdTable {
  private static final int PART_BITS = 9;
  private static final int MOVED_TOGETHER = 128;
  private static final int TAG_BITS = 4;
  private static final int SLOT_BITS = Integer.SIZE - TAG_BITS;
  private static final int SLOT = (1 << SLOT_BITS) - 1;

  /** The maximum number of slots. */
  public static final int MAX_SLOTS = SLOT;

  private static final int[] NOTHING = {};

  private final SlotTable slots;
  private final int[][] parts = new int[1 << PART_BITS][];
  private final int[] moving = new int[MOVED_TOGETHER];
  private final int[] hashes = new int[MOVED_TOGETHER];
  private final int[] sizes = new int[1 << PART_BITS];

  /**
   * The xor of the entries that {@link #expect} read. The field is never read; without it the
   * compiler could remove the reads.
   */
  @SuppressWarnings("UnusedVariable")
  private int expected;

  public IdTable(SlotTable slots) {
    this.slots = slots;
    Arrays.fill(parts, NOTHING);
  }

  /** An iteration over the slots with the same hash. */
  public final class Matches {
    private final int[] part;
    private final int hash;
    private final int tag;
    private int at;

    private Matches(int hash) {
      this.hash = hash;
      tag = hash << SLOT_BITS;
      part = parts[hash >>> (32 - PART_BITS)];
      at = part.length == 0 ? 0 : home(hash, part.length);
    }

    /** Returns the next slot, or {@link SlotTable#NONE} at the end. */
    public int next() {
      while (part.length > 0 && part[at] != 0) {
        int entry = part[at];
        at = at + 1 == part.length ? 0 : at + 1;
        if ((entry & ~SLOT) == tag && slots.hash(slot(entry)) == hash) {
          return slot(entry);
        }
      }
      return SlotTable.NONE;
    }
  }

  public Matches matches(int hash) {
    return new Matches(hash);
  }

  /**
   * Reads the entry at which the search for a hash will begin. Before many searches, a caller calls
   * this method for all their hashes, so that the processor overlaps the reads from memory.
   */
  public void expect(int hash) {
    int[] part = parts[hash >>> (32 - PART_BITS)];
    if (part.length > 0) {
      expected ^= part[home(hash, part.length)];
    }
  }

  private static int slot(int entry) {
    return (entry & SLOT) - 1;
  }

  private static int entry(int slot, int hash) {
    return (slot + 1) | (hash << SLOT_BITS);
  }

  public void add(int slot) {
    int hash = slots.hash(slot);
    int number = hash >>> (32 - PART_BITS);
    if ((sizes[number] + 1) * 5L > parts[number].length * 4L) {
      parts[number] = grown(parts[number]);
    }
    insert(parts[number], slot, hash);
    sizes[number]++;
  }

  public void remove(int slot) {
    int hash = slots.hash(slot);
    int number = hash >>> (32 - PART_BITS);
    int[] part = parts[number];
    int gap = home(hash, part.length);
    int entry = entry(slot, hash);
    while (part[gap] != entry) {
      gap = gap + 1 == part.length ? 0 : gap + 1;
    }
    close(part, gap);
    sizes[number]--;
  }

  /**
   * Moves entries back into the gap of a removed entry, so that no search ends too early. Removed
   * entries then need no marks.
   */
  private void close(int[] part, int from) {
    int gap = from;
    int at = from;
    while (true) {
      at = at + 1 == part.length ? 0 : at + 1;
      if (part[at] == 0) {
        part[gap] = 0;
        return;
      }
      int home = home(slots.hash(slot(part[at])), part.length);
      boolean staysReachable = gap <= at ? (home <= gap || home > at) : (home <= gap && home > at);
      if (staysReachable) {
        part[gap] = part[at];
        gap = at;
      }
    }
  }

  private int[] grown(int[] part) {
    int[] larger = new int[Math.max(8, part.length + (part.length >> 1))];
    int gathered = 0;
    for (int entry : part) {
      if (entry != 0) {
        moving[gathered++] = slot(entry);
        if (gathered == moving.length) {
          move(gathered, larger);
          gathered = 0;
        }
      }
    }
    move(gathered, larger);
    return larger;
  }

  /**
   * Inserts slots into a larger part. Reads all hashes before the first insert, so that the
   * processor overlaps the reads from memory.
   */
  private void move(int count, int[] into) {
    for (int i = 0; i < count; i++) {
      hashes[i] = slots.hash(moving[i]);
    }
    for (int i = 0; i < count; i++) {
      insert(into, moving[i], hashes[i]);
    }
  }

  private static void insert(int[] part, int slot, int hash) {
    int at = home(hash, part.length);
    while (part[at] != 0) {
      at = at + 1 == part.length ? 0 : at + 1;
    }
    part[at] = entry(slot, hash);
  }

  /**
   * Returns the first index of a search in a part. The lower bits of the hash choose it, because
   * the upper bits chose the part.
   */
  private static int home(int hash, int length) {
    long spread = (hash << PART_BITS) & 0xFFFF_FFFFL;
    return (int) ((spread * length) >>> 32);
  }
}
