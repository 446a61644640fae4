package io.punctual.timer;

import java.util.Arrays;

/**
 * Doubly linked rings of slot numbers, a ring for each bucket, in primitive arrays. Each slot has a
 * word for its due time and an adjacent word for its neighbours, so most slots touch a single cache
 * line.
 *
 * <p>A neighbour is a reference: {@code n + 1} for slot {@code n}, {@code -n - 1} for bucket {@code
 * n}, which closes the ring, and 0 for no neighbour. The upper half of the neighbours' word is the
 * next reference and the lower half the previous reference.
 *
 * <p>Not safe for use by many threads.
 */
final class SlotLinks {
  static final int NONE = -1;

  private static final int CHUNK_BITS = 10;
  private static final int CHUNK = 1 << CHUNK_BITS;

  /**
   * The first length of the first chunk, which grows, so that a small wheel takes little memory.
   */
  private static final int SMALLEST = 32;

  private static final long[] UNUSED = {};

  private final long[] buckets;
  private long[][] chunks = {};

  SlotLinks(int count) {
    buckets = new long[count];
    for (int i = 0; i < count; i++) {
      buckets[i] = pair(bucketReference(i), bucketReference(i));
    }
  }

  boolean covers(int slot) {
    return slot >= 0 && slot >>> CHUNK_BITS < chunks.length && at(slot) < chunk(slot).length;
  }

  /** Allocates the chunk that contains {@code slot}, but no unused chunks before it. */
  void reserve(int slot) {
    int index = slot >>> CHUNK_BITS;
    if (index >= chunks.length) {
      int before = chunks.length;
      chunks = Arrays.copyOf(chunks, Math.max(index + 1, before + (before >> 1)));
      Arrays.fill(chunks, before, chunks.length, UNUSED);
    }
    int length = chunks[index].length;
    if (at(slot) >= length) {
      int wanted = index > 0 ? 2 * CHUNK : Math.max(at(slot) + 2, Math.max(SMALLEST, 2 * length));
      chunks[index] = Arrays.copyOf(chunks[index], Math.min(2 * CHUNK, wanted));
    }
  }

  long due(int slot) {
    return chunk(slot)[at(slot)];
  }

  void due(int slot, long due) {
    chunk(slot)[at(slot)] = due;
  }

  boolean isLinked(int slot) {
    return links(slot) != 0;
  }

  /** The first slot of {@code bucket}; {@link #NONE} if the bucket is empty. */
  int first(int bucket) {
    return slotOrNone(next(buckets[bucket]));
  }

  /** The slot after {@code slot} in its bucket; {@link #NONE} if {@code slot} is the last. */
  int following(int slot) {
    return slotOrNone(next(links(slot)));
  }

  void linkLast(int slot, int bucket) {
    link(slot, previous(buckets[bucket]), bucketReference(bucket));
  }

  void linkFirst(int slot, int bucket) {
    link(slot, bucketReference(bucket), next(buckets[bucket]));
  }

  /**
   * Unlinks {@code slot} from its ring; returns the bucket if it is empty now, otherwise {@link
   * #NONE}.
   */
  int unlink(int slot) {
    long links = links(slot);
    int next = next(links);
    int previous = previous(links);
    links(slot, 0);
    connect(previous, next);
    return next == previous && next < 0 ? -next - 1 : NONE;
  }

  /** Appends all slots of bucket {@code from}, which is not empty, to bucket {@code to}. */
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
    return chunk(slot)[at(slot) + 1];
  }

  private void links(int slot, long links) {
    chunk(slot)[at(slot) + 1] = links;
  }

  private long[] chunk(int slot) {
    return chunks[slot >>> CHUNK_BITS];
  }

  private static int at(int slot) {
    return (slot & (CHUNK - 1)) << 1;
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
