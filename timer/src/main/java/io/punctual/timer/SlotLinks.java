package io.punctual.timer;

import java.util.Arrays;

/**
 * Rings of slot numbers, one for each bucket, in primitive arrays: for each slot a word for its due
 * time and next to it one for its neighbours, so that a slot is one cache line.
 *
 * <p>A neighbour is a reference: slot {@code n} is {@code n + 1}, the bucket {@code n} that closes
 * a ring is {@code -n - 1}, and 0 is no neighbour at all. Of a pair, the upper half of the word is
 * the next one and the lower half the previous.
 *
 * <p>Not safe for use by many threads.
 */
final class SlotLinks {
  static final int NONE = -1;

  private static final int PIECE_BITS = 10;
  private static final int PIECE = 1 << PIECE_BITS;
  private static final long[] UNUSED = {};

  private final long[] buckets;
  private long[][] pieces = {};

  SlotLinks(int count) {
    buckets = new long[count];
    for (int i = 0; i < count; i++) {
      buckets[i] = pair(bucketReference(i), bucketReference(i));
    }
  }

  boolean covers(int slot) {
    return slot >= 0 && slot >>> PIECE_BITS < pieces.length && piece(slot).length > 0;
  }

  /** Makes room for {@code slot}, and none for those below it that were never used. */
  void reserve(int slot) {
    int index = slot >>> PIECE_BITS;
    if (index >= pieces.length) {
      int before = pieces.length;
      pieces = Arrays.copyOf(pieces, Math.max(index + 1, before + (before >> 1)));
      Arrays.fill(pieces, before, pieces.length, UNUSED);
    }
    if (pieces[index].length == 0) {
      pieces[index] = new long[2 * PIECE];
    }
  }

  long due(int slot) {
    return piece(slot)[at(slot)];
  }

  void due(int slot, long due) {
    piece(slot)[at(slot)] = due;
  }

  boolean isLinked(int slot) {
    return links(slot) != 0;
  }

  /** The first slot of {@code bucket}, or {@link #NONE}. */
  int first(int bucket) {
    return slotOrNone(next(buckets[bucket]));
  }

  /** The slot after {@code slot} in its bucket, or {@link #NONE}. */
  int following(int slot) {
    return slotOrNone(next(links(slot)));
  }

  void linkLast(int slot, int bucket) {
    link(slot, previous(buckets[bucket]), bucketReference(bucket));
  }

  void linkFirst(int slot, int bucket) {
    link(slot, bucketReference(bucket), next(buckets[bucket]));
  }

  /** Takes {@code slot} out of its ring; returns the bucket that is empty now, or {@link #NONE}. */
  int unlink(int slot) {
    long links = links(slot);
    int next = next(links);
    int previous = previous(links);
    links(slot, 0);
    connect(previous, next);
    return next == previous && next < 0 ? -next - 1 : NONE;
  }

  /** Appends all of one bucket, which is not empty, to another. */
  void moveAll(int from, int to) {
    long moved = buckets[from];
    buckets[from] = pair(bucketReference(from), bucketReference(from));
    connect(previous(buckets[to]), next(moved));
    connect(previous(moved), bucketReference(to));
  }

  private void link(int slot, int previous, int next) {
    links(slot, pair(next, previous));
    setNext(previous, slot + 1);
    setPrevious(next, slot + 1);
  }

  private void connect(int previous, int next) {
    setNext(previous, next);
    setPrevious(next, previous);
  }

  private void setNext(int reference, int next) {
    if (reference > 0) {
      links(reference - 1, pair(next, previous(links(reference - 1))));
    } else {
      buckets[-reference - 1] = pair(next, previous(buckets[-reference - 1]));
    }
  }

  private void setPrevious(int reference, int previous) {
    if (reference > 0) {
      links(reference - 1, pair(next(links(reference - 1)), previous));
    } else {
      buckets[-reference - 1] = pair(next(buckets[-reference - 1]), previous);
    }
  }

  private long links(int slot) {
    return piece(slot)[at(slot) + 1];
  }

  private void links(int slot, long links) {
    piece(slot)[at(slot) + 1] = links;
  }

  private long[] piece(int slot) {
    return pieces[slot >>> PIECE_BITS];
  }

  private static int at(int slot) {
    return (slot & (PIECE - 1)) << 1;
  }

  private static int bucketReference(int bucket) {
    return -bucket - 1;
  }

  private static int slotOrNone(int reference) {
    return reference > 0 ? reference - 1 : NONE;
  }

  private static long pair(int next, int previous) {
    return ((long) next << 32) | (previous & 0xFFFF_FFFFL);
  }

  private static int next(long pair) {
    return (int) (pair >> 32);
  }

  private static int previous(long pair) {
    return (int) pair;
  }
}
