package io.punctual.collection;

import io.punctual.CancelOutcome;
import io.punctual.Counts;
import io.punctual.Page;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The waiting messages of a queue in some states, as elements of a collection. Thread-safe. */
record Elements<E>(TimedQueue<E> queue, List<State> states) {
  private static final int PAGE = 200;

  int size() {
    Counts counts = queue.counts();
    long size = 0;
    for (State state : states) {
      size += state == State.READY ? counts.ready() : counts.scheduled();
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /** Returns the first element in the order of the iterator; null if there is no element. */
  @Nullable E first() {
    Iterator<E> elements = iterator();
    return elements.hasNext() ? elements.next() : null;
  }

  /**
   * Removes and returns the first elements in the order of the iterator. If a look-up or a removal
   * fails, returns the elements that were removed before the failure; if the cause persists, the
   * next call throws.
   *
   * @throws RuntimeException the failure, if nothing was removed before
   */
  List<E> removeFirst(int max) {
    List<E> removed = new ArrayList<>();
    try {
      Messages messages = new Messages();
      while (removed.size() < max && messages.hasNext()) {
        E element = messages.next();
        if (messages.cancel()) {
          removed.add(element);
        }
      }
    } catch (RuntimeException e) {
      if (removed.isEmpty()) {
        throw e;
      }
    }
    return List.copyOf(removed);
  }

  boolean contains(@Nullable Object element) {
    Iterator<E> elements = iterator();
    while (elements.hasNext()) {
      if (elements.next().equals(element)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes the first equal element that no consumer has taken in the meantime; returns whether
   * there was one.
   */
  boolean remove(@Nullable Object element) {
    Messages messages = new Messages();
    while (messages.hasNext()) {
      if (messages.next().equals(element) && messages.cancel()) {
        return true;
      }
    }
    return false;
  }

  void clear() {
    long unused = queue.purge(Set.copyOf(states));
  }

  Iterator<E> iterator() {
    return new Messages();
  }

  /**
   * A weakly consistent iterator: state by state, and partition by partition, in the order of due
   * times. It leaves out payloads that the codec can't decode.
   */
  private final class Messages implements Iterator<E> {
    private final Iterator<State> statesLeft = states.iterator();
    private final Deque<StoredMessage<E>> page = new ArrayDeque<>();
    private State state = statesLeft.next();
    private boolean begun;
    private Optional<String> cursor = Optional.empty();
    private @Nullable Element<E> next;
    private @Nullable String last;

    @Override
    public boolean hasNext() {
      while (next == null && (!page.isEmpty() || readPage())) {
        next = page.isEmpty() ? null : decoded(page.remove());
      }
      return next != null;
    }

    /** Returns null for an undecodable payload, whose failure the consumer's claim reports. */
    private @Nullable Element<E> decoded(StoredMessage<E> message) {
      try {
        return new Element<>(message.id(), message.payload());
      } catch (PunctualException undecodable) {
        return null;
      }
    }

    private boolean readPage() {
      if (begun && cursor.isEmpty()) {
        if (!statesLeft.hasNext()) {
          return false;
        }
        state = statesLeft.next();
      }
      begun = true;
      Page<StoredMessage<E>> read = queue.browse(state, cursor, PAGE);
      page.addAll(read.items());
      cursor = read.next();
      return true;
    }

    @Override
    public E next() {
      Element<E> element = hasNext() ? next : null;
      if (element == null) {
        throw new NoSuchElementException();
      }
      last = element.id();
      next = null;
      return element.payload();
    }

    @Override
    public void remove() {
      boolean unused = cancel();
    }

    /**
     * Removes the element that {@link #next} returned last; returns false if it is no longer
     * waiting.
     */
    boolean cancel() {
      String id = last;
      if (id == null) {
        throw new IllegalStateException("Call next() before each remove()");
      }
      last = null;
      return queue.cancel(id) == CancelOutcome.CANCELLED;
    }
  }

  private record Element<E>(String id, E payload) {}
}
