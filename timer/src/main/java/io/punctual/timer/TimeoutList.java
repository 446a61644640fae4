package io.punctual.timer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts in the order in which they were added, in a chain of arrays: an array is read without
 * waiting for one timeout to learn where the next is. Places may be empty after a sweep. Not safe
 * for use by many threads.
 */
final class TimeoutList {
  private static final int FIRST_LENGTH = 4;
  private static final int MAX_LENGTH = 512;

  private @Nullable Link first;
  private @Nullable Link last;

  /** One array of the chain; in use from start to end, and never without use. */
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

  /** Moves all of another list, which may be empty, to the end of this one. */
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

  /** Takes the first place; returns what is in it. Null also when the list is empty. */
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

  /** Cuts off all behind the first {@code used} places of {@code link}. */
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
   * Goes once through a list that is not empty and drops the timeouts that have lost their tasks;
   * the others move up. Between two steps the list may be added to, and nothing else.
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

    /** How many timeouts have been dropped so far. */
    int dropped() {
      return dropped;
    }

    /** Looks at one array of the chain; returns at how many places. */
    int step() {
      Link link = Objects.requireNonNull(source);
      for (int i = link.start; i < link.end; i++) {
        WheelTimeout timeout = link.places[i];
        if (timeout != null && timeout.isAbandoned()) {
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
