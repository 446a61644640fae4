package io.punctual.collection;

import io.punctual.ClaimOptions;
import io.punctual.ClientBusyException;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.State;
import io.punctual.StoreFullException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link BlockingQueue} on the waiting messages of a queue in some states. Consumers
 * take the due messages only. Thread-safe.
 */
abstract class BlockingView<E> extends AbstractQueue<E> implements BlockingQueue<E> {
  private final TimedQueue<E> queue;
  private final Elements<E> elements;
  private final Taking<E> taking;

  BlockingView(TimedQueue<E> queue, ClaimOptions options, List<State> states) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.elements = new Elements<>(queue, states);
    if (!options.maxWait().equals(ClaimOptions.DEFAULT.maxWait())
        || options.lease().isPresent()
        || options.claimant().isPresent()) {
      throw new IllegalArgumentException(
          "The takes of a view have no lease and no claimant, and each call has its own wait; leave"
              + " lease, claimant and maxWait out of its options");
    }
    this.taking = new Taking<>(queue, options);
  }

  /** Returns the due time of an element that is added. */
  abstract Due due(E element);

  @Override
  public boolean offer(E element) {
    return offered(queue, element);
  }

  private boolean offered(TimedQueue<E> target, E element) {
    try {
      Objects.requireNonNull(target.schedule(Message.of(element).due(due(element))));
      return true;
    } catch (StoreFullException | ClientBusyException e) {
      return false;
    }
  }

  @Override
  public boolean offer(E element, long timeout, TimeUnit unit) throws InterruptedException {
    refuseInterrupted();
    Duration wait =
        Duration.ofNanos(Math.max(unit.toNanos(timeout), TimeUnit.MILLISECONDS.toNanos(1)));
    return offered(queue.withTimeout(wait), element);
  }

  @Override
  public void put(E element) throws InterruptedException {
    refuseInterrupted();
    Objects.requireNonNull(queue.schedule(Message.of(element).due(due(element))));
  }

  /**
   * Schedules all elements in few calls of the store.
   *
   * @throws IllegalStateException if the store is full or the client is busy; nothing was added
   * @throws io.punctual.BatchException if only some elements were added
   */
  @Override
  public boolean addAll(Collection<? extends E> all) {
    if (all == this) {
      throw new IllegalArgumentException("A queue can't be added to itself");
    }
    List<Message<E>> messages = new ArrayList<>(all.size());
    for (E element : all) {
      messages.add(Message.<E>of(element).due(due(element)));
    }
    try {
      return !queue.scheduleAll(messages).isEmpty();
    } catch (StoreFullException | ClientBusyException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void refuseInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  @Override
  public E take() throws InterruptedException {
    return taking.take();
  }

  @Override
  public @Nullable E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return taking.poll(timeout, unit);
  }

  @Override
  public @Nullable E poll() {
    List<E> taken = taking.now(1);
    return taken.isEmpty() ? null : taken.get(0);
  }

  @Override
  public int drainTo(Collection<? super E> target) {
    return drainTo(target, Integer.MAX_VALUE);
  }

  @Override
  public int drainTo(Collection<? super E> target, int max) {
    Objects.requireNonNull(target, "target");
    if (target == this) {
      throw new IllegalArgumentException("A queue can't be drained to itself");
    }
    List<E> taken = max <= 0 ? List.of() : taking.now(max);
    target.addAll(taken);
    return taken.size();
  }

  @Override
  public @Nullable E peek() {
    return elements.first();
  }

  @Override
  public int size() {
    return elements.size();
  }

  @Override
  public boolean isEmpty() {
    return elements.isEmpty();
  }

  /** Always {@link Integer#MAX_VALUE}: the store alone limits the number of messages. */
  @Override
  public int remainingCapacity() {
    return Integer.MAX_VALUE;
  }

  @Override
  public boolean contains(@Nullable Object element) {
    return elements.contains(element);
  }

  @Override
  public boolean remove(@Nullable Object element) {
    return elements.remove(element);
  }

  @Override
  public boolean containsAll(Collection<?> all) {
    return elements.containsAll(all);
  }

  @Override
  public boolean removeAll(Collection<?> all) {
    return elements.removeIf(Elements.in(all));
  }

  @Override
  public boolean retainAll(Collection<?> all) {
    return elements.removeIf(Elements.in(all).negate());
  }

  @Override
  public boolean removeIf(Predicate<? super E> filter) {
    return elements.removeIf(filter);
  }

  @Override
  public void clear() {
    elements.clear();
  }

  @Override
  public Iterator<E> iterator() {
    return elements.iterator();
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + "[" + queue.name() + "]";
  }
}
