package io.punctual.timer;

/**
 * The algorithm that all wheels share: how time advances, and when entries move between buckets.
 * Subclasses define the data structure of a bucket.
 *
 * @param <L> the type of the listener for expired entries
 */
abstract class Wheel<L> {
  /**
   * The largest number of entries that a call of {@link #advance} moves to lower levels, so that
   * these moves take less than a millisecond.
   */
  static final int CASCADE_LIMIT = 4096;

  final Levels levels;
  int size;
  private boolean advancing;

  Wheel(long time) {
    levels = new Levels(time);
  }

  /** The number of scheduled entries. */
  public final int size() {
    return size;
  }

  /**
   * The current tick of the wheel: the clock of the last {@link #advance}, or an earlier tick if
   * that call reached a limit or its listener threw.
   */
  public final long time() {
    return levels.time();
  }

  /**
   * The tick of the next useful call of {@link #advance}, or {@link Long#MAX_VALUE} if no entry is
   * scheduled. Never later than the earliest due time. It may be earlier in two cases: after the
   * earliest entry was cancelled, until an advance reaches this tick; and after an advance that
   * reached a limit or whose listener threw (then it is at or before the wheel's time). Costs a few
   * instructions.
   */
  public final long nextExpiry() {
    if (levels.has(Levels.READY)) {
      return Math.min(levels.time(), levels.earliest(Levels.READY));
    }
    if (levels.has(Levels.CASCADING)) {
      return levels.time();
    }
    int next = levels.next();
    return next == Levels.NONE ? Long.MAX_VALUE : levels.earliest(next);
  }

  /**
   * Moves the wheel's time to {@code now} and passes expired entries to the listener, in the order
   * of their ticks, and within a tick in the order of scheduling. An entry that was overdue when it
   * was scheduled counts as due at the wheel's time of that moment.
   *
   * <p>The work is bounded: the call returns after {@code limit} entries, or earlier if it had to
   * move many entries to lower levels. If expired entries remain, {@link #nextExpiry()} is at or
   * before {@code now}, and another call continues. Any number of empty ticks costs nothing.
   *
   * <p>The clock may stand still, jump ahead or step back. If it steps back, the wheel's time steps
   * back too, and no entry expires before the clock reaches its due time. A step back costs a few
   * hundred operations, and another operation for each expired entry that an advance has left
   * because it reached a limit. Entries on lower levels return to a higher level, and so move down
   * again later.
   *
   * <p>An entry is no longer scheduled when the listener receives it. The listener may schedule and
   * cancel any entry, including the current entry. If it throws, the exception reaches the caller,
   * and the entry remains first in line unless the listener has scheduled it again.
   *
   * @param limit the largest number of entries to pass to the listener, 1 or more
   * @return the number of entries passed to the listener
   * @throws IllegalStateException if the listener calls this method
   */
  public final int advance(long now, int limit, L listener) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be 1 or more, was " + limit);
    }
    if (advancing) {
      throw new IllegalStateException("The listener of advance must not call advance");
    }
    advancing = true;
    try {
      if (now < levels.time()) {
        rewind(now);
      }
      return forward(now, limit, listener);
    } finally {
      advancing = false;
    }
  }

  private int forward(long now, int limit, L listener) {
    int handedOver = 0;
    int moves = CASCADE_LIMIT;
    while (true) {
      handedOver += handOver(listener, limit - handedOver);
      if (handedOver == limit) {
        return handedOver;
      }
      if (levels.has(Levels.CASCADING)) {
        moves -= cascade(moves);
        if (moves == 0) {
          return handedOver;
        }
        continue;
      }
      int next = levels.next();
      if (next == Levels.NONE || levels.start(next) > now) {
        levels.moveTo(now);
        return handedOver;
      }
      moveAll(next, levels.enter(next));
    }
  }

  private void rewind(long now) {
    int later = levels.rewindTo(now);
    int lower;
    while ((lower = levels.nextBelow(later >>> 6)) != Levels.NONE) {
      moveAll(lower, later);
    }
    returnNotDueToLevels();
    if (levels.has(Levels.CASCADING)) {
      moveAll(Levels.CASCADING, later);
    }
  }

  /**
   * Passes at most {@code limit} entries of {@link Levels#READY} to the listener; returns their
   * number.
   */
  abstract int handOver(L listener, int limit);

  /**
   * Takes at most {@code limit} entries from {@link Levels#CASCADING}, and moves each to its
   * bucket, unless the entry was cancelled meanwhile. Returns the number of entries that it took.
   */
  abstract int cascade(int limit);

  /**
   * Moves entries of {@link Levels#READY} that are due later than the wheel's time back to the
   * levels.
   */
  abstract void returnNotDueToLevels();

  /**
   * Appends all entries of bucket {@code from}, which is not empty, to bucket {@code to} in one
   * step.
   */
  abstract void moveAll(int from, int to);
}
