package io.punctual.timer;

import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * A {@link TimingWheel} over slot numbers instead of objects, for stores that hold millions: 16
 * bytes a slot and nothing for the garbage collector to follow.
 *
 * <p>The caller owns the numbers, from 0 on; memory is taken for the highest one used, in small
 * pieces that are never copied, and kept. Small numbers are best reused first.
 *
 * <p>A tick is whatever the caller says, and any {@code long} is one, ordered as signed numbers:
 * milliseconds since the epoch, for example. Something due at {@link Long#MAX_VALUE} is in practice
 * never due.
 *
 * <pre>{@code
 * SlotWheel wheel = new SlotWheel(clock.millis());
 * wheel.schedule(slot, dueMillis);
 * wheel.cancel(slot);
 * wheel.advance(clock.millis(), 100, slot -> deliver(messages[slot]));
 * }</pre>
 *
 * <p>A slot is no longer scheduled when the listener gets it, but {@link #due} still tells when it
 * was due. Not safe for use by many threads.
 */
public final class SlotWheel extends Wheel<IntConsumer> {
  private final SlotLinks links = new SlotLinks(Dial.BUCKETS);

  /** An empty wheel that stands at {@code time}. */
  public SlotWheel(long time) {
    super(time);
  }

  /**
   * Has {@code slot} handed over at {@code due}; if it is scheduled already, it is moved.
   *
   * @param slot 0 or more, below {@link Integer#MAX_VALUE}
   */
  public void schedule(int slot, long due) {
    Objects.checkIndex(slot, Integer.MAX_VALUE);
    cancel(slot);
    links.reserve(slot);
    links.due(slot, due);
    append(slot, dial.bucketFor(due));
    size++;
  }

  /**
   * Takes {@code slot} out if it is scheduled, and has {@link #due} tell {@code due}: for a caller
   * that schedules it later, and keeps its due time nowhere else until then.
   *
   * @param slot 0 or more, below {@link Integer#MAX_VALUE}
   */
  public void note(int slot, long due) {
    Objects.checkIndex(slot, Integer.MAX_VALUE);
    cancel(slot);
    links.reserve(slot);
    links.due(slot, due);
  }

  /** Forgets {@code slot}; returns whether it was scheduled. */
  public boolean cancel(int slot) {
    if (!isScheduled(slot)) {
      return false;
    }
    unlink(slot);
    size--;
    return true;
  }

  /** Whether the wheel holds {@code slot}; false for any number that was never used. */
  public boolean isScheduled(int slot) {
    return links.covers(slot) && links.isLinked(slot);
  }

  /**
   * The tick that {@code slot} was last scheduled or noted for, as it was given.
   *
   * @throws IndexOutOfBoundsException if no number as high was ever scheduled or noted
   */
  public long due(int slot) {
    return links.due(slot);
  }

  @Override
  int handOver(IntConsumer listener, int limit) {
    int handedOver = 0;
    while (handedOver < limit && dial.has(Dial.READY)) {
      give(listener, links.first(Dial.READY));
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
        links.linkFirst(slot, Dial.READY);
        dial.added(Dial.READY, links.due(slot));
        size++;
      }
    }
  }

  @Override
  int unfold(int limit) {
    int moved = 0;
    while (moved < limit && dial.has(Dial.UNFOLDING)) {
      replace(links.first(Dial.UNFOLDING));
      moved++;
    }
    return moved;
  }

  @Override
  void unready() {
    int slot = links.first(Dial.READY);
    while (slot != SlotLinks.NONE) {
      int following = links.following(slot);
      if (links.due(slot) > dial.time()) {
        replace(slot);
      }
      slot = following;
    }
  }

  @Override
  void moveAll(int from, int to) {
    links.moveAll(from, to);
    dial.added(to, dial.earliest(from));
    dial.emptied(from);
  }

  private void replace(int slot) {
    unlink(slot);
    append(slot, dial.unfoldedBucketFor(links.due(slot)));
  }

  private void append(int slot, int bucket) {
    links.linkLast(slot, bucket);
    dial.added(bucket, links.due(slot));
  }

  private void unlink(int slot) {
    int emptied = links.unlink(slot);
    if (emptied != SlotLinks.NONE) {
      dial.emptied(emptied);
    }
  }
}
