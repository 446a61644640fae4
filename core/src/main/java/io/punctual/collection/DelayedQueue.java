package io.punctual.collection;

import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The producer's side of a delay queue, shaped like Redisson's {@code RDelayedQueue}: an element is
 * offered with a delay, and a consumer takes it from a {@link DueQueue} after the delay. This class
 * is no {@code BlockingQueue}, because the time in {@code BlockingQueue.offer(e, time, unit)} is a
 * time-out and not a delay.
 *
 * <p>As a collection, it contains the elements that are not due yet, in the order of their due
 * times. In a queue with several partitions, this order holds only within each partition. {@link
 * #contains}, {@link #remove(Object)}, {@link #removeAll} and {@link #retainAll} decode each
 * message once. If the id of a message is known, {@link TimedQueue#cancel} is faster. The iterator
 * is weakly consistent, and leaves out payloads that the codec can't decode.
 *
 * <p>The methods can throw the exceptions of {@link TimedQueue}. Nothing needs to be closed: no
 * thread moves the elements. Safe for use by many threads.
 *
 * @param <E> the payload's type; its {@code equals} decides about {@code remove} and {@code
 *     contains}
 */
public final class DelayedQueue<E> extends AbstractCollection<E> {
  private final TimedQueue<E> queue;
  private final Elements<E> elements;

  private DelayedQueue(TimedQueue<E> queue) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.elements = new Elements<>(queue, List.of(State.SCHEDULED));
  }

  /** Returns a view of the messages of this queue that are not due yet. */
  public static <E> DelayedQueue<E> of(TimedQueue<E> queue) {
    return new DelayedQueue<>(queue);
  }

  /**
   * Schedules an element; returns when the store has confirmed the schedule.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   */
  public Scheduled offer(E element, long delay, TimeUnit unit) {
    return queue.schedule(message(element, delay, unit));
  }

  /** The asynchronous form of {@link #offer}. */
  public CompletionStage<Scheduled> offerAsync(E element, long delay, TimeUnit unit) {
    return queue.async().schedule(message(element, delay, unit));
  }

  private static <E> Message<E> message(E element, long delay, TimeUnit unit) {
    // Within what a Duration can hold; the schedule refuses the largest delay of this range.
    long most = unit.convert(Duration.ofDays(Limits.DAYS));
    long within = Math.max(0, Math.min(delay, most));
    return Message.of(element).dueIn(Duration.of(within, unit.toChronoUnit()));
  }

  /**
   * Removes and returns the element that is due next, although it is not due yet; returns null if
   * there is no element.
   */
  public @Nullable E poll() {
    return elements.removeFirst(1).stream().findFirst().orElse(null);
  }

  /**
   * Removes and returns up to {@code max} elements that are not due yet, in the order of their due
   * times. If a removal fails, returns the elements that were removed before, or throws if there
   * are none.
   */
  public List<E> poll(int max) {
    return elements.removeFirst(max);
  }

  /** Returns the element that is due next; null if there is no element. */
  public @Nullable E peek() {
    return elements.first();
  }

  /**
   * Returns the elements that are not due yet, in the order of their due times, like the iterator.
   */
  public List<E> readAll() {
    List<E> all = new ArrayList<>();
    elements.iterator().forEachRemaining(all::add);
    return List.copyOf(all);
  }

  @Override
  public Iterator<E> iterator() {
    return elements.iterator();
  }

  @Override
  public int size() {
    return elements.size();
  }

  @Override
  public boolean isEmpty() {
    return elements.isEmpty();
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
  public String toString() {
    return "DelayedQueue[" + queue.name() + "]";
  }
}
