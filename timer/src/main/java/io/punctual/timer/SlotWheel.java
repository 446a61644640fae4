package io.punctual.timer;

import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * A {@link TimingWheel} over slot numbers instead of objects, for stores with millions of messages:
 * a slot takes 16 bytes in an array, and is no object that the garbage collector must trace.
 *
 * <p>The caller assigns the numbers, from 0. The wheel allocates memory in small chunks of adjacent
 * numbers, when a number of a chunk is first used. Only the first chunk grows, and no chunk is
 * freed, so reuse small numbers first.
 *
 * <p>The caller chooses the unit and the origin of the ticks, for example milliseconds from 1970.
 * Any {@code long} is a valid tick; ticks are ordered as signed numbers. A slot due at {@link
 * Long#MAX_VALUE} effectively never expires.
 *
 * <pre>{@code
 * SlotWheel wheel = new SlotWheel(clock.millis());
 * wheel.schedule(slot, dueMillis);
 * wheel.cancel(slot);
 * wheel.advance(clock.millis(), 100, slot -> deliver(messages[slot]));
 * }</pre>
 *
 * <p>A slot is no longer scheduled when the listener receives it, but {@link #due} still returns
 * its due time. Not safe for use by many threads.
 */
public final class SlotWheel extends Wheel<IntConsumer> {
  private final SlotLinks links = new SlotLinks(Levels.BUCKETS);

  /** Creates an empty wheel with the current time {@code time}. */
  public SlotWheel(long time) {
    super(time);
  }

  /**
   * Schedules {@code slot} for the tick {@code due}; a slot that is already scheduled is
   * rescheduled.
   *
   * @param slot 0 or more, below {@link Integer#MAX_VALUE}
   */
  public void schedule(int slot, long due) {
    Objects.checkIndex(slot, Integer.MAX_VALUE);
    cancel(slot);
    links.reserve(slot);
    links.due(slot, due);
    append(slot, levels.bucketFor(due));
    size++;
  }

  /**
   * Records the due time of {@code slot} without scheduling it, and cancels it if it is scheduled.
   * For callers that schedule the slot later and keep its due time nowhere else.
   *
   * @param slot 0 or more, below {@link Integer#MAX_VALUE}
   */
  public void note(int slot, long due) {
    Objects.checkIndex(slot, Integer.MAX_VALUE);
    cancel(slot);
    links.reserve(slot);
    links.due(slot, due);
  }

  /** Cancels {@code slot}; returns whether it was scheduled. */
  public boolean cancel(int slot) {
    if (!isScheduled(slot)) {
      return false;
    }
    unlink(slot);
    size--;
    return true;
  }

  /** Whether {@code slot} is scheduled; false for any number that was never used. */
  public boolean isScheduled(int slot) {
    return links.covers(slot) && links.isLinked(slot);
  }

  /**
   * The tick last passed to {@link #schedule} or {@link #note} for {@code slot}. Unspecified for a
   * slot that was never passed to these methods.
   *
   * @throws IndexOutOfBoundsException if the wheel has allocated no memory for {@code slot}
   */
  public long due(int slot) {
    return links.due(slot);
  }

  @Override
  int handOver(IntConsumer listener, int limit) {
    int handedOver = 0;
    while (handedOver < limit && levels.has(Levels.READY)) {
      give(listener, links.first(Levels.READY));
      handedOver++;
    }
    return handedOver;
  }

  private void give(IntConsumer listener, int slot) {
    unlink(slot);
    size--;
    boolean done = false;
    try {
      listener.accept(slot);
      done = true;
    } finally {
      if (!done && !isScheduled(slot)) {
        links.linkFirst(slot, Levels.READY);
        levels.added(Levels.READY, links.due(slot));
        size++;
      }
    }
  }

  @Override
  int cascade(int limit) {
    int moved = 0;
    while (moved < limit && levels.has(Levels.CASCADING)) {
      replace(links.first(Levels.CASCADING));
      moved++;
    }
    return moved;
  }

  @Override
  void returnNotDueToLevels() {
    int slot = links.first(Levels.READY);
    while (slot != SlotLinks.NONE) {
      int following = links.following(slot);
      if (links.due(slot) > levels.time()) {
        replace(slot);
      }
      slot = following;
    }
  }

  @Override
  void moveAll(int from, int to) {
    links.moveAll(from, to);
    levels.added(to, levels.earliest(from));
    levels.emptied(from);
  }

  private void replace(int slot) {
    unlink(slot);
    append(slot, levels.bucketAfterCascade(links.due(slot)));
  }

  private void append(int slot, int bucket) {
    links.linkLast(slot, bucket);
    levels.added(bucket, links.due(slot));
  }

  private void unlink(int slot) {
    int emptied = links.unlink(slot);
    if (emptied != SlotLinks.NONE) {
      levels.emptied(emptied);
    }
  }
}
