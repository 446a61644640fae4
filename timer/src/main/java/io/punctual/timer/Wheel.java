package io.punctual.timer;

/**
 * The algorithm that both wheels share: how time moves, and what happens to the buckets then. What
 * a bucket is made of is up to the subclass.
 *
 * @param <L> what expired entries are handed to
 */
abstract class Wheel<L> {
  /** How many entries one {@link #advance} may move to finer buckets: under a millisecond. */
  static final int UNFOLD_LIMIT = 4096;

  final Dial dial;
  int size;
  private boolean advancing;

  Wheel(long time) {
    dial = new Dial(time);
  }

  /** How many entries are scheduled. */
  public final int size() {
    return size;
  }

  /** The tick that the wheel stands at: nothing due before it is on the levels any more. */
  public final long time() {
    return dial.time();
  }

  /**
   * The tick at which {@link #advance} is next worth calling, or {@link Long#MAX_VALUE} if nothing
   * is scheduled. Never later than the earliest due time, and equal to it unless the entry that was
   * earliest has been cancelled (then the tick may be too early, once) or the last advance was cut
   * short (then it is at or before the wheel's time). Costs a few instructions.
   */
  public final long nextExpiry() {
    if (dial.has(Dial.READY)) {
      return Math.min(dial.time(), dial.earliest(Dial.READY));
    }
    if (dial.has(Dial.UNFOLDING)) {
      return dial.time();
    }
    int next = dial.next();
    return next == Dial.NONE ? Long.MAX_VALUE : dial.earliest(next);
  }

  /**
   * Moves the wheel's time to {@code now} and hands over what is due by then: in the order of its
   * ticks, and for one tick in the order of scheduling. An entry that was overdue when it was
   * scheduled counts as due at the wheel's time of then.
   *
   * <p>The work is bounded: it ends after {@code limit} entries, or earlier when many entries had
   * to be moved to finer buckets. Then {@link #nextExpiry()} is still at or before {@code now}, and
   * another call goes on from there. Ticks at which nothing happens cost nothing, however many.
   *
   * <p>A clock that stands still or jumps ahead needs no care. One that steps back takes the wheel
   * back with it: nothing is handed over before the clock has reached its due time. That costs a
   * few hundred operations, one for each entry that an advance cut short had left ready, and moves
   * to finer buckets that had been done before.
   *
   * <p>An entry is no longer scheduled when the listener gets it. The listener may schedule and
   * cancel, this entry too. If it throws, the exception is passed on, and the entry stays the first
   * in line unless the listener had scheduled it again.
   *
   * @param limit how many entries to hand over at most, 1 or more
   * @return how many were handed over
   * @throws IllegalStateException if the listener calls it
   */
  public final int advance(long now, int limit, L listener) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be 1 or more, was " + limit);
    }
    if (advancing) {
      throw new IllegalStateException("advance was called by the listener of advance");
    }
    advancing = true;
    try {
      if (now < dial.time()) {
        rewind(now);
      }
      return forward(now, limit, listener);
    } finally {
      advancing = false;
    }
  }

  private int forward(long now, int limit, L listener) {
    int handedOver = 0;
    int moves = UNFOLD_LIMIT;
    while (true) {
      handedOver += handOver(listener, limit - handedOver);
      if (handedOver == limit) {
        return handedOver;
      }
      if (dial.has(Dial.UNFOLDING)) {
        moves -= unfold(moves);
        if (moves == 0) {
          return handedOver;
        }
        continue;
      }
      int next = dial.next();
      if (next == Dial.NONE || dial.start(next) > now) {
        dial.moveTo(now);
        return handedOver;
      }
      moveAll(next, dial.enter(next));
    }
  }

  private void rewind(long now) {
    int later = dial.rewindTo(now);
    int lower;
    while ((lower = dial.nextBelow(later >>> 6)) != Dial.NONE) {
      moveAll(lower, later);
    }
    unready();
    if (dial.has(Dial.UNFOLDING)) {
      moveAll(Dial.UNFOLDING, later);
    }
  }

  /** Hands over at most {@code limit} entries of {@link Dial#READY}; returns how many. */
  abstract int handOver(L listener, int limit);

  /**
   * Gives at most {@code limit} entries of {@link Dial#UNFOLDING} their place; returns how many.
   */
  abstract int unfold(int limit);

  /** Takes from {@link Dial#READY} what is due later than the wheel's time. */
  abstract void unready();

  /** Appends all of one bucket, which is not empty, to another at once. */
  abstract void moveAll(int from, int to);
}
