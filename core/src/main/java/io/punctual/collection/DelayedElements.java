package io.punctual.collection;

import io.punctual.ClaimOptions;
import io.punctual.Due;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * A replacement of {@link java.util.concurrent.DelayQueue} whose elements are the messages of a
 * {@link TimedQueue}, so that several processes can share them, and a durable store keeps them over
 * a restart. An added element is due after its {@link Delayed#getDelay}; later changes of the delay
 * have no effect.
 *
 * <p>As in a {@code DelayQueue}, {@code take}, {@code poll} and {@code drainTo} return due elements
 * only, while {@code size}, {@code peek}, {@code contains}, {@code remove(Object)}, {@code clear}
 * and the iterator also see the elements that are not due yet. The elements are decoded copies, so
 * {@code remove} and {@code contains} compare by {@code equals}, and decode each message until one
 * is equal.
 *
 * <p>{@link DueQueue} describes delivery, interrupts, exceptions and thread safety, which are the
 * same for this class.
 *
 * @param <E> the payload's type
 */
public final class DelayedElements<E extends Delayed> extends BlockingView<E> {
  private DelayedElements(TimedQueue<E> queue, ClaimOptions options) {
    super(queue, options, List.of(State.READY, State.SCHEDULED));
  }

  /** Returns a view of the waiting messages of this queue. */
  public static <E extends Delayed> DelayedElements<E> of(TimedQueue<E> queue) {
    return of(queue, ClaimOptions.DEFAULT);
  }

  /**
   * Returns a view of the waiting messages of this queue whose takes have these options, like
   * {@link DueQueue#of(TimedQueue, ClaimOptions)}.
   */
  public static <E extends Delayed> DelayedElements<E> of(
      TimedQueue<E> queue, ClaimOptions options) {
    return new DelayedElements<>(queue, options);
  }

  @Override
  Due due(E element) {
    return Due.after(Duration.ofNanos(element.getDelay(TimeUnit.NANOSECONDS)));
  }
}
