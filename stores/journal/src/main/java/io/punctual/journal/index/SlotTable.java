package io.punctual.journal.index;

import io.punctual.embedded.Place;
import io.punctual.embedded.Slots;
import io.punctual.journal.format.Location;
import java.util.Arrays;

/**
 * The data of each message, in primitive arrays: 28 bytes a message. The slot of a message is its
 * index in these arrays. Arrays grow in pieces that are never copied. Free slots form a linked
 * list, which uses the room of their data. The slot that was freed last is reused first.
 *
 * <p>The state of a slot contains the {@link Place}, a flag that shows whether there is a state
 * record, and a number: the index of the {@link Lease} of a leased message, or the attempts of a
 * message that is not leased. For the journal's thread alone.
 */
public final class SlotTable {
  public static final int NONE = Slots.NONE;

  private static final int PIECE_BITS = 10;
  private static final int PIECE = 1 << PIECE_BITS;

  /** The first number of slots of the first piece, which grows, so that a small queue is small. */
  private static final int SMALLEST = 16;

  private static final int WORDS = 3;
  private static final int PLACE = 7;
  private static final int HAS_RECORD = 8;
  private static final int NUMBER_SHIFT = 4;

  private long[][] words = {};
  private int[][] states = {};

  /** The lowest slot that was never used. */
  private int end;

  private int firstFree = NONE;
  private int size;

  public int end() {
    return end;
  }

  public int size() {
    return size;
  }

  public int add(long location, int length, long sequence, int hash) {
    int slot = take();
    size++;
    long[] piece = words[slot >>> PIECE_BITS];
    int at = at(slot);
    piece[at] = location;
    piece[at + 1] = sequence;
    piece[at + 2] = ((long) length << 32) | (hash & 0xFFFF_FFFFL);
    state(slot, Place.WAITING.code());
    return slot;
  }

  public void free(int slot) {
    words[slot >>> PIECE_BITS][at(slot)] = firstFree;
    words[slot >>> PIECE_BITS][at(slot) + 1] = 0;
    state(slot, Place.FREE.code());
    firstFree = slot;
    size--;
  }

  /** The location of the message's record; see {@link Location}. */
  public long location(int slot) {
    return words[slot >>> PIECE_BITS][at(slot)];
  }

  public void location(int slot, long location) {
    words[slot >>> PIECE_BITS][at(slot)] = location;
  }

  /** The message's sequence number, 0 if the slot is free. */
  public long sequence(int slot) {
    return words[slot >>> PIECE_BITS][at(slot) + 1];
  }

  /** The length of the message's record in bytes. */
  public int length(int slot) {
    return (int) (words[slot >>> PIECE_BITS][at(slot) + 2] >>> 32);
  }

  public int hash(int slot) {
    return (int) words[slot >>> PIECE_BITS][at(slot) + 2];
  }

  public Place place(int slot) {
    return Place.withCode(state(slot) & PLACE);
  }

  public void place(int slot, Place place, int number) {
    state(slot, (state(slot) & HAS_RECORD) | place.code() | (number << NUMBER_SHIFT));
  }

  public int number(int slot) {
    return state(slot) >>> NUMBER_SHIFT;
  }

  public boolean hasRecord(int slot) {
    return (state(slot) & HAS_RECORD) != 0;
  }

  public void hasRecord(int slot, boolean has) {
    state(slot, has ? state(slot) | HAS_RECORD : state(slot) & ~HAS_RECORD);
  }

  private int take() {
    if (firstFree != NONE) {
      int slot = firstFree;
      firstFree = (int) location(slot);
      return slot;
    }
    if (end >>> PIECE_BITS == words.length) {
      grow();
    }
    int piece = end >>> PIECE_BITS;
    int length = states[piece].length;
    if ((end & (PIECE - 1)) >= length) {
      int larger = piece > 0 ? PIECE : Math.min(PIECE, Math.max(SMALLEST, 2 * length));
      words[piece] = Arrays.copyOf(words[piece], WORDS * larger);
      states[piece] = Arrays.copyOf(states[piece], larger);
    }
    return end++;
  }

  private void grow() {
    int before = words.length;
    int length = Math.max(4, before + (before >> 1));
    words = Arrays.copyOf(words, length);
    states = Arrays.copyOf(states, length);
    Arrays.fill(words, before, length, new long[0]);
    Arrays.fill(states, before, length, new int[0]);
  }

  private int state(int slot) {
    return states[slot >>> PIECE_BITS][slot & (PIECE - 1)];
  }

  private void state(int slot, int state) {
    states[slot >>> PIECE_BITS][slot & (PIECE - 1)] = state;
  }

  private static int at(int slot) {
    return (slot & (PIECE - 1)) * WORDS;
  }
}
