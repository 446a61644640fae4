package io.punctual.timer;

/**
 * Counts cancels well enough to know when sweeping is worth its while. Threads count in cells of
 * their own, mostly, without atomic steps; two that share one may lose a few. Safe for use by many
 * threads.
 */
final class CancelCount {
  /** Longs between two cells: two cache lines, because they are fetched in pairs. */
  private static final int SPACING = 16;

  private static final int CELLS = 16;
  private static final int ROUND = 256;

  private final long[] cells = new long[(CELLS + 1) * SPACING];

  /** Counts one; returns true once in a while, when it is time to look at the sum. */
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
