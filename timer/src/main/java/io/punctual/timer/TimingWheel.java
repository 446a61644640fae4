package io.punctual.timer;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A hierarchical timing wheel that its caller drives: schedule and cancel cost the same few
 * instructions with one entry and with ten million, and the next expiry is found without ticking
 * through empty time.
 *
 * <p>A tick is whatever the caller says, and any {@code long} is one; ticks are ordered as signed
 * numbers. (A clock that may wrap around, such as {@link System#nanoTime()}, is to be read as the
 * distance from its first reading.)
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
 * <p>The hierarchical wheel of G. Varghese and T. Lauck, <i>Hashed and hierarchical timing
 * wheels</i>, SOSP 1987, with eleven levels of 64 buckets, which cover all of 64 bits.
 *
 * @param <E> what it times
 */
public final class TimingWheel<E extends WheelEntry> extends Wheel<Consumer<? super E>> {
  private final Bucket[] buckets = new Bucket[Dial.BUCKETS];

  /** An empty wheel that stands at {@code time}. */
  public TimingWheel(long time) {
    super(time);
    Arrays.setAll(buckets, Bucket::new);
  }

  /** Has {@code entry} handed over at {@code due}; if it is scheduled already, it is moved. */
  public void schedule(E entry, long due) {
    if (entry.isScheduled()) {
      cancel(entry);
    }
    entry.due = due;
    append(entry, dial.bucketFor(due));
    size++;
  }

  /** Forgets {@code entry}; returns whether it was scheduled. */
  public boolean cancel(E entry) {
    if (!entry.isScheduled()) {
      return false;
    }
    unlink(entry);
    size--;
    return true;
  }

  /** The bucket that holds a scheduled entry, for tests: walks the bucket. */
  int bucketOf(E entry) {
    WheelEntry at = entry;
    while (!(at instanceof Bucket)) {
      at = at.next;
    }
    return ((Bucket) at).index;
  }

  @Override
  int handOver(Consumer<? super E> listener, int limit) {
    Bucket ready = buckets[Dial.READY];
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
        entry.linkAfter(buckets[Dial.READY]);
        dial.added(Dial.READY, entry.due);
        size++;
      }
    }
  }

  @Override
  int unfold(int limit) {
    Bucket unfolding = buckets[Dial.UNFOLDING];
    int moved = 0;
    while (moved < limit && unfolding.isScheduled()) {
      WheelEntry entry = unfolding.next;
      unlink(entry);
      append(entry, dial.unfoldedBucketFor(entry.due));
      moved++;
    }
    return moved;
  }

  @Override
  void unready() {
    Bucket ready = buckets[Dial.READY];
    WheelEntry entry = ready.next;
    while (entry != ready) {
      WheelEntry following = entry.next;
      if (entry.due > dial.time()) {
        unlink(entry);
        append(entry, dial.unfoldedBucketFor(entry.due));
      }
      entry = following;
    }
  }

  @Override
  void moveAll(int from, int to) {
    buckets[from].moveAllTo(buckets[to]);
    dial.added(to, dial.earliest(from));
    dial.emptied(from);
  }

  private void append(WheelEntry entry, int bucket) {
    entry.linkAfter(buckets[bucket].previous);
    dial.added(bucket, entry.due);
  }

  private void unlink(WheelEntry entry) {
    WheelEntry neighbour = entry.unlink();
    if (!neighbour.isScheduled()) {
      dial.emptied(((Bucket) neighbour).index);
    }
  }

  /** Only entries that {@link #schedule} took are ever linked. */
  @SuppressWarnings("unchecked")
  private E typed(WheelEntry entry) {
    return (E) entry;
  }

  /** A ring's fixed point: its next is the first entry, its previous the last. */
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
