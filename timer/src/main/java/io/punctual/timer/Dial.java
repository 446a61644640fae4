package io.punctual.timer;

import java.util.Arrays;

/**
 * The face of a timing wheel: its time, which buckets hold something, and which of them comes next.
 *
 * <p>Time is any {@code long}. It is read as eleven digits to the base 64, and a level of 64
 * buckets stands for each digit. Something due later than the wheel's time is in the level of the
 * highest digit in which the two differ, in the bucket of its own digit there. So everything in a
 * level is due before anything in a higher one, a level's occupied buckets all lie ahead of the
 * time's own digit, and the earliest bucket is found with two bit scans. Time may move up to the
 * start of that bucket without touching anything: no place depends on the lower digits.
 *
 * <p>Two more buckets hold what has no place on the levels: {@link #READY}, whose time has come,
 * and {@link #UNFOLDING}, what is left of the coarse bucket that time has just reached.
 *
 * <p>After G. Varghese and T. Lauck, <i>Hashed and hierarchical timing wheels</i>, SOSP 1987,
 * scheme 7. Not safe for use by many threads.
 */
final class Dial {
  static final int LEVELS = 11;
  static final int NONE = -1;
  static final int READY = LEVELS << 6;
  static final int UNFOLDING = READY + 1;
  static final int BUCKETS = READY + 2;

  private static final int DIGIT = 63;
  private static final int ON_LEVELS = (1 << LEVELS) - 1;

  private final long[] occupied = new long[LEVELS + 1];
  private int occupiedLevels;

  /**
   * The earliest due time that a bucket got since it was last empty: exact until that one is
   * cancelled, and never too late.
   */
  private final long[] earliest = new long[BUCKETS];

  private long time;
  private int unfoldingLevel;

  Dial(long time) {
    this.time = time;
    Arrays.fill(earliest, Long.MAX_VALUE);
  }

  long time() {
    return time;
  }

  /** Moves time on; nothing may be in a bucket that starts at or before {@code later}. */
  void moveTo(long later) {
    time = later;
  }

  /** The bucket for something newly scheduled. */
  int bucketFor(long due) {
    return has(UNFOLDING) && due >= time && level(due ^ time) < unfoldingLevel
        ? UNFOLDING
        : unfoldedBucketFor(due);
  }

  /** The bucket for something that was in {@link #UNFOLDING}, or would be. */
  int unfoldedBucketFor(long due) {
    return due <= time ? READY : bucket(level(due ^ time), due);
  }

  boolean has(int bucket) {
    return (occupied[bucket >>> 6] & 1L << bucket) != 0;
  }

  long earliest(int bucket) {
    return earliest[bucket];
  }

  void added(int bucket, long due) {
    int level = bucket >>> 6;
    occupied[level] |= 1L << bucket;
    occupiedLevels |= 1 << level;
    if (due < earliest[bucket]) {
      earliest[bucket] = due;
    }
  }

  void emptied(int bucket) {
    int level = bucket >>> 6;
    earliest[bucket] = Long.MAX_VALUE;
    occupied[level] &= ~(1L << bucket);
    if (occupied[level] == 0) {
      occupiedLevels &= ~(1 << level);
    }
  }

  /** The occupied bucket that time reaches first, or {@link #NONE}. */
  int next() {
    int levels = occupiedLevels & ON_LEVELS;
    return levels == 0 ? NONE : firstOf(Integer.numberOfTrailingZeros(levels));
  }

  /** The first occupied bucket below {@code level}, or {@link #NONE}. */
  int nextBelow(int level) {
    int levels = occupiedLevels & ((1 << level) - 1);
    return levels == 0 ? NONE : firstOf(Integer.numberOfTrailingZeros(levels));
  }

  /** The first occupied bucket on the levels with this number or a higher one, or {@link #NONE}. */
  int nextFrom(int bucket) {
    for (int level = bucket >>> 6; level < LEVELS; level++) {
      long left = level == bucket >>> 6 ? occupied[level] & -1L << bucket : occupied[level];
      if (left != 0) {
        return (level << 6) | Long.numberOfTrailingZeros(left);
      }
    }
    return NONE;
  }

  /** The first tick that belongs to a bucket on the levels. */
  long start(int bucket) {
    int level = bucket >>> 6;
    long digit = (long) (bucket & DIGIT) << (6 * level);
    long higher = level == LEVELS - 1 ? 0 : ordered(time) & (-1L << (6 * (level + 1)));
    return ordered(higher | digit);
  }

  /** Moves time to the start of {@code bucket}; returns the bucket that is to take its contents. */
  int enter(int bucket) {
    time = start(bucket);
    unfoldingLevel = bucket >>> 6;
    return unfoldingLevel == 0 ? READY : UNFOLDING;
  }

  /**
   * Moves time back to {@code earlier}. Returns the bucket that is to take all that is left in
   * lower levels: seen from there, it differs in a higher digit, and all in the same one.
   */
  int rewindTo(long earlier) {
    long later = time;
    time = earlier;
    return bucket(level(later ^ earlier), later);
  }

  private int firstOf(int level) {
    return (level << 6) | Long.numberOfTrailingZeros(occupied[level]);
  }

  private static int level(long difference) {
    return (63 - Long.numberOfLeadingZeros(difference | DIGIT)) / 6;
  }

  private static int bucket(int level, long due) {
    return (level << 6) | (int) (ordered(due) >>> (6 * level) & DIGIT);
  }

  /** Maps signed order to unsigned order, so that the top digit sorts; its own inverse. */
  private static long ordered(long time) {
    return time ^ Long.MIN_VALUE;
  }
}
