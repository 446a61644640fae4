package io.punctual.collection;

import io.punctual.BatchException;
import io.punctual.CancelOutcome;
import io.punctual.Counts;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
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

  /** Returns whether no message waits; reads at most one message of each partition and state. */
  boolean isEmpty() {
    for (State state : states) {
      MessageQuery query = MessageQuery.of(state).withoutPayloads();
      Page<StoredMessage<E>> page = queue.browse(query.limit(1));
      while (page.items().isEmpty() && page.next().isPresent()) {
        page = queue.browse(query.after(page.next().get()).limit(1));
      }
      if (!page.items().isEmpty()) {
        return false;
      }
    }
    return true;
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
        List<Element<E>> some = new ArrayList<>();
        while (some.size() < Math.min(PAGE, max - removed.size()) && messages.hasNext()) {
          some.add(messages.nextElement());
        }
        cancel(some, removed);
      }
    } catch (RuntimeException e) {
      if (removed.isEmpty()) {
        throw e;
      }
    }
    return List.copyOf(removed);
  }

  /**
   * Removes messages in one call, and adds the elements that were removed to {@code removed}, even
   * if it throws.
   */
  private void cancel(List<Element<E>> messages, List<E> removed) {
    if (messages.isEmpty()) {
      return;
    }
    try {
      List<CancelOutcome> outcomes =
          queue.cancelAll(messages.stream().map(message -> message.id).toList());
      for (int i = 0; i < messages.size(); i++) {
        if (outcomes.get(i) == CancelOutcome.CANCELLED) {
          removed.add(messages.get(i).payload);
        }
      }
    } catch (BatchException e) {
      List<BatchException.Outcome> outcomes = e.outcomes();
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i).result().filter(CancelOutcome.CANCELLED::equals).isPresent()) {
          removed.add(messages.get(i).payload);
        }
      }
      throw e;
    }
  }

  /** Removes the elements that match; returns whether any was removed. */
  boolean removeIf(Predicate<? super E> filter) {
    List<E> removed = new ArrayList<>();
    Messages messages = new Messages();
    while (messages.hasNext()) {
      List<Element<E>> some = new ArrayList<>();
      while (some.size() < PAGE && messages.hasNext()) {
        Element<E> element = messages.nextElement();
        if (filter.test(element.payload)) {
          some.add(element);
        }
      }
      cancel(some, removed);
    }
    return !removed.isEmpty();
  }

  /** Returns whether each of these objects equals an element; decodes each element once. */
  boolean containsAll(Collection<?> all) {
    Set<Object> missing = new HashSet<>(all);
    Iterator<E> elements = iterator();
    while (!missing.isEmpty() && elements.hasNext()) {
      missing.remove(elements.next());
    }
    return missing.isEmpty();
  }

  /** Returns a test for the elements of a collection that needs no search for each element. */
  static Predicate<Object> in(Collection<?> all) {
    Collection<?> set = all instanceof Set<?> ? all : new HashSet<>(all);
    return set::contains;
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
      MessageQuery query = MessageQuery.of(state).limit(PAGE);
      Page<StoredMessage<E>> read = queue.browse(cursor.map(query::after).orElse(query));
      page.addAll(read.items());
      cursor = read.next();
      return true;
    }

    @Override
    public E next() {
      return nextElement().payload();
    }

    Element<E> nextElement() {
      Element<E> element = hasNext() ? next : null;
      if (element == null) {
        throw new NoSuchElementException();
      }
      last = element.id();
      next = null;
      return element;
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
