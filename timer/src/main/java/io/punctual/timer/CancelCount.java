package io.punctual.timer;

/**
 * An approximate count of cancels, which decides when a sweep pays off. The increments of the
 * threads go to 16 cells, without atomic operations. So two threads with the same cell may lose a
 * few increments. Safe for use by many threads.
 */
final class CancelCount {
  /**
   * The distance between two cells in longs: two cache lines, because processors fetch them in
   * pairs.
   */
  private static final int SPACING = 16;

  private static final int CELLS = 16;
  private static final int ROUND = 256;

  private final long[] cells = new long[(CELLS + 1) * SPACING];

  /** Adds 1. Returns true at every 256th increment of a cell; the caller then checks the sum. */
  boolean increment() {
    int cell = ((int) Thread.currentThread().getId() & (CELLS - 1)) * SPACING + SPACING;
    return (++cells[cell] & (ROUND - 1)) == 0;
  }

  long sum() {
    long sum = 0;
    for (int cell = SPACING; cell < cells.length; cell += SPACING) {
      sum += cells[cell];
    }
    return sum;
  }
}
