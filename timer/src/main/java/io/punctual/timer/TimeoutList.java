package io.punctual.timer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out list of timeouts in a chain of arrays. Unlike a linked list, an array lets
 * the processor load the next timeout before it has loaded the current timeout. Elements may be
 * null during a sweep, and after a sweep that was given up. Not safe for use by many threads.
 */
final class TimeoutList {
  private static final int FIRST_LENGTH = 4;
  private static final int MAX_LENGTH = 512;

  private @Nullable Link first;
  private @Nullable Link last;

  /**
   * An array of the chain. The elements from {@code start} to {@code end}, exclusive, are in use;
   * there is at least one.
   */
  private static final class Link {
    final @Nullable WheelTimeout[] places;
    int start;
    int end;
    @Nullable Link next;

    Link(int length) {
      places = new WheelTimeout[length];
    }
  }

  boolean isEmpty() {
    return first == null;
  }

  void add(WheelTimeout timeout) {
    Link link = last;
    if (link == null || link.end == link.places.length) {
      link = append(link);
    }
    link.places[link.end++] = timeout;
  }

  /** Moves all timeouts of {@code other}, which may be empty, to the end of this list. */
  void addAll(TimeoutList other) {
    if (last == null) {
      first = other.first;
    } else {
      last.next = other.first;
    }
    if (other.last != null) {
      last = other.last;
    }
    other.first = null;
    other.last = null;
  }

  /** Returns the first element. Null if the element is null or the list is empty. */
  @Nullable WheelTimeout peek() {
    return first == null ? null : first.places[first.start];
  }

  /** Removes the first element and returns it. Null if the element is null or the list is empty. */
  @Nullable WheelTimeout poll() {
    Link link = first;
    if (link == null) {
      return null;
    }
    WheelTimeout timeout = link.places[link.start++];
    if (link.start == link.end) {
      first = link.next;
      if (first == null) {
        last = null;
      }
    }
    return timeout;
  }

  private Link append(@Nullable Link before) {
    if (before == null) {
      first = new Link(FIRST_LENGTH);
      last = first;
      return first;
    }
    Link link = new Link(Math.min(MAX_LENGTH, 2 * before.places.length));
    before.next = link;
    last = link;
    return link;
  }

  /** Removes all elements of the list from index {@code used} of {@code link} on. */
  private void cut(Link link, int used) {
    if (used == link.start) {
      first = null;
      last = null;
    } else {
      link.end = used;
      link.next = null;
      last = link;
    }
  }

  /**
   * A single pass over a list that is not empty. It removes timeouts that have lost their tasks and
   * moves the remaining timeouts forward. Between two steps, callers may only append to the list.
   */
  static final class Sweep {
    private final TimeoutList list;
    private @Nullable Link source;
    private Link target;
    private int written;
    private int dropped;

    Sweep(TimeoutList list) {
      this.list = list;
      target = Objects.requireNonNull(list.first);
      source = target;
      written = target.start;
    }

    boolean isDone() {
      return source == null;
    }

    /** The number of timeouts removed so far. */
    int dropped() {
      return dropped;
    }

    /** Checks the next array of the chain; returns its number of elements. */
    int step() {
      Link link = Objects.requireNonNull(source);
      for (int i = link.start; i < link.end; i++) {
        WheelTimeout timeout = link.places[i];
        if (timeout != null && timeout.isEmpty()) {
          link.places[i] = null;
          dropped++;
        } else if (timeout != null) {
          keep(timeout, link, i);
        }
      }
      source = link.next;
      if (source == null) {
        list.cut(target, written);
      }
      return link.end - link.start;
    }

    private void keep(WheelTimeout timeout, Link link, int place) {
      if (written == target.end) {
        target = Objects.requireNonNull(target.next);
        written = target.start;
      }
      if (target != link || written != place) {
        link.places[place] = null;
        target.places[written] = timeout;
      }
      written++;
    }
  }
}
