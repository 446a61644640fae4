package io.punctual.timer;

import java.util.Arrays;

/**
 * The levels of a hierarchical timing wheel: its current time, the set of occupied buckets, and the
 * search for the next occupied bucket.
 *
 * <p>A due time is any {@code long}, read as eleven digits in base 64. Each digit has a level of 64
 * buckets. The level of an entry is the highest digit in which its due time differs from the
 * wheel's time. The value of this digit in the due time selects the bucket on that level. This rule
 * has three consequences:
 *
 * <ul>
 *   <li>every entry of a level is due before every entry of a higher level;
 *   <li>the occupied buckets of a level are all ahead of the wheel's time, so two bit scans find
 *       the earliest bucket;
 *   <li>time can move up to the start of that bucket without moving an entry, because an entry's
 *       bucket does not depend on the lower digits.
 * </ul>
 *
 * <p>Two more buckets lie outside the levels. {@link #READY} holds expired entries. When time
 * reaches a bucket of a higher level, {@link #CASCADING} holds the entries of this bucket until
 * each of them has moved down to its bucket on a lower level.
 *
 * <p>Source: G. Varghese and T. Lauck, <i>Hashed and hierarchical timing wheels</i>, SOSP 1987,
 * scheme 7. Not safe for use by many threads.
 */
final class Levels {
  static final int COUNT = 11;
  static final int NONE = -1;
  static final int READY = COUNT << 6;
  static final int CASCADING = READY + 1;
  static final int BUCKETS = READY + 2;

  private static final int DIGIT = 63;
  private static final int LEVEL_MASK = (1 << COUNT) - 1;

  private final long[] occupied = new long[COUNT + 1];
  private int occupiedLevels;

  /**
   * The earliest due time added to each bucket since the bucket was last empty. It is exact unless
   * the entry with this due time has left the bucket; then it may be too early, but never too late.
   */
  private final long[] earliest = new long[BUCKETS];

  private long time;
  private int cascadingLevel;

  Levels(long time) {
    this.time = time;
    Arrays.fill(earliest, Long.MAX_VALUE);
  }

  long time() {
    return time;
  }

  /** Moves time forward. No bucket that starts at or before {@code later} may be occupied. */
  void moveTo(long later) {
    time = later;
  }

  /** The bucket for a newly scheduled entry. */
  int bucketFor(long due) {
    return has(CASCADING) && due >= time && level(due ^ time) < cascadingLevel
        ? CASCADING
        : bucketAfterCascade(due);
  }

  /**
   * The bucket for an entry that leaves {@link #CASCADING}: {@link #READY} or a bucket on a level.
   */
  int bucketAfterCascade(long due) {
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

  /**
   * The occupied bucket on the levels that starts first; {@link #NONE} if no bucket there is
   * occupied.
   */
  int next() {
    int levels = occupiedLevels & LEVEL_MASK;
    return levels == 0 ? NONE : firstOf(Integer.numberOfTrailingZeros(levels));
  }

  /**
   * The first occupied bucket on the levels below {@code level}; {@link #NONE} if no bucket there
   * is occupied.
   */
  int nextBelow(int level) {
    int levels = occupiedLevels & ((1 << level) - 1);
    return levels == 0 ? NONE : firstOf(Integer.numberOfTrailingZeros(levels));
  }

  /**
   * The first occupied bucket that is on a level and has at least the number {@code bucket}; {@link
   * #NONE} if there is none.
   */
  int nextFrom(int bucket) {
    for (int level = bucket >>> 6; level < COUNT; level++) {
      long left = level == bucket >>> 6 ? occupied[level] & -1L << bucket : occupied[level];
      if (left != 0) {
        return (level << 6) | Long.numberOfTrailingZeros(left);
      }
    }
    return NONE;
  }

  /** The first tick of a bucket on the levels. */
  long start(int bucket) {
    int level = bucket >>> 6;
    long digit = (long) (bucket & DIGIT) << (6 * level);
    long higher = level == COUNT - 1 ? 0 : ordered(time) & (-1L << (6 * (level + 1)));
    return ordered(higher | digit);
  }

  /**
   * Moves time to the start of {@code bucket}; returns the bucket that its entries must move to.
   */
  int enter(int bucket) {
    time = start(bucket);
    cascadingLevel = bucket >>> 6;
    return cascadingLevel == 0 ? READY : CASCADING;
  }

  /**
   * Moves time back to {@code earlier}, and returns a bucket. The caller must move all entries on
   * the levels below this bucket's level to this bucket: the highest digit in which their due times
   * differ from the new time is now the digit of the bucket's level.
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

  /**
   * Maps signed order to unsigned order, so that the top digit sorts correctly. The mapping is its
   * own inverse.
   */
  private static long ordered(long time) {
    return time ^ Long.MIN_VALUE;
  }
}
