package io.punctual.timer;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A hierarchical timing wheel that the caller advances. Schedule and cancel cost the same few
 * instructions with 1 entry or with 10 million, and the wheel finds the next expiry without ticking
 * through empty time.
 *
 * <p>The caller chooses the unit and the origin of the ticks, for example milliseconds from 1970.
 * Any {@code long} is a valid tick; ticks are ordered as signed numbers. For a clock that may wrap
 * around, such as {@link System#nanoTime()}, use the distance from its first reading.
 *
 * <pre>{@code
 * TimingWheel<Session> wheel = new TimingWheel<>(nowMillis());
 * wheel.schedule(session, nowMillis() + 30_000);       // class Session extends WheelEntry
 * wheel.cancel(session);                               // at any time before it is handed over
 *
 * sleepUntil(wheel.nextExpiry());
 * wheel.advance(nowMillis(), 1_000, Session::close);
 * }</pre>
 *
 * <p>Not safe for use by many threads; {@link WheelTimer} is.
 *
 * <p>Source: G. Varghese and T. Lauck, <i>Hashed and hierarchical timing wheels</i>, SOSP 1987.
 * Eleven levels of 64 buckets cover all of 64 bits.
 *
 * @param <E> the type of the entries
 */
public final class TimingWheel<E extends WheelEntry> extends Wheel<Consumer<? super E>> {
  private final Bucket[] buckets = new Bucket[Levels.BUCKETS];

  /** Creates an empty wheel with the current time {@code time}. */
  public TimingWheel(long time) {
    super(time);
    Arrays.setAll(buckets, Bucket::new);
  }

  /**
   * Schedules {@code entry} for the tick {@code due}; an entry that is already scheduled is
   * rescheduled.
   */
  public void schedule(E entry, long due) {
    if (entry.isScheduled()) {
      cancel(entry);
    }
    entry.due = due;
    append(entry, levels.bucketFor(due));
    size++;
  }

  /** Cancels {@code entry}; returns whether it was scheduled. */
  public boolean cancel(E entry) {
    if (!entry.isScheduled()) {
      return false;
    }
    unlink(entry);
    size--;
    return true;
  }

  /** The bucket of a scheduled entry, for tests. Walks the bucket. */
  int bucketOf(E entry) {
    WheelEntry at = entry;
    while (!(at instanceof Bucket)) {
      at = at.next;
    }
    return ((Bucket) at).index;
  }

  @Override
  int handOver(Consumer<? super E> listener, int limit) {
    Bucket ready = buckets[Levels.READY];
    int handedOver = 0;
    while (handedOver < limit && ready.isScheduled()) {
      give(listener, ready.next);
      handedOver++;
    }
    return handedOver;
  }

  private void give(Consumer<? super E> listener, WheelEntry entry) {
    unlink(entry);
    size--;
    boolean done = false;
    try {
      listener.accept(typed(entry));
      done = true;
    } finally {
      if (!done && !entry.isScheduled()) {
        entry.linkAfter(buckets[Levels.READY]);
        levels.added(Levels.READY, entry.due);
        size++;
      }
    }
  }

  @Override
  int cascade(int limit) {
    Bucket cascading = buckets[Levels.CASCADING];
    int moved = 0;
    while (moved < limit && cascading.isScheduled()) {
      WheelEntry entry = cascading.next;
      unlink(entry);
      append(entry, levels.bucketAfterCascade(entry.due));
      moved++;
    }
    return moved;
  }

  @Override
  void returnNotDueToLevels() {
    Bucket ready = buckets[Levels.READY];
    WheelEntry entry = ready.next;
    while (entry != ready) {
      WheelEntry following = entry.next;
      if (entry.due > levels.time()) {
        unlink(entry);
        append(entry, levels.bucketAfterCascade(entry.due));
      }
      entry = following;
    }
  }

  @Override
  void moveAll(int from, int to) {
    buckets[from].moveAllTo(buckets[to]);
    levels.added(to, levels.earliest(from));
    levels.emptied(from);
  }

  private void append(WheelEntry entry, int bucket) {
    entry.linkAfter(buckets[bucket].previous);
    levels.added(bucket, entry.due);
  }

  private void unlink(WheelEntry entry) {
    WheelEntry neighbour = entry.unlink();
    if (!neighbour.isScheduled()) {
      levels.emptied(((Bucket) neighbour).index);
    }
  }

  /** The cast is safe: only entries passed to {@link #schedule} are linked. */
  @SuppressWarnings("unchecked")
  private E typed(WheelEntry entry) {
    return (E) entry;
  }

  /** The head of a ring: its next is the first entry, its previous the last entry. */
  private static final class Bucket extends WheelEntry {
    final int index;

    Bucket(int index) {
      this.index = index;
    }

    void moveAllTo(Bucket other) {
      WheelEntry first = next;
      WheelEntry last = previous;
      next = this;
      previous = this;
      WheelEntry end = other.previous;
      end.next = first;
      first.previous = end;
      last.next = other;
      other.previous = last;
    }
  }
}
