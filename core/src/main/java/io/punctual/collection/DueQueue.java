package io.punctual.collection;

import io.punctual.ClaimOptions;
import io.punctual.Due;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.util.List;

/**
 * The due messages of a queue as a {@link java.util.concurrent.BlockingQueue} of their payloads.
 * This is the consumer's side of a delay queue, for code that expects a {@code BlockingQueue};
 * {@link DelayedQueue} is the producer's side. The consumers of all processes compete.
 *
 * <p>{@code take}, {@code poll} and {@code drainTo} deliver an element at most once, as {@link
 * TimedQueue#take} does: an element is lost if the process dies before it has used the element. A
 * worker, or {@link TimedQueue#claim}, delivers at least once instead. A call that throws {@link
 * InterruptedException} takes no element from the queue. Each {@code take} is a round trip to the
 * store; with a {@linkplain ClaimOptions#prefetch prefetch} it needs fewer.
 *
 * <p>An element added here is due at once. {@code size}, {@code peek}, {@code contains}, {@code
 * remove(Object)}, {@code clear} and the iterator see the messages that are due and not claimed.
 * {@code contains} and {@code remove(Object)} decode each message until one is equal. The iterator
 * is weakly consistent, and leaves out payloads that the codec can't decode. {@code offer} returns
 * false if the store is full or the client is busy; {@link #remainingCapacity} is always {@link
 * Integer#MAX_VALUE}.
 *
 * <p>The methods can throw the exceptions of {@link TimedQueue}, for example {@link
 * io.punctual.ClientClosedException} once the client is closed. If the store is unavailable, {@code
 * take} and the {@code poll} with a timeout wait for it. They throw {@link
 * io.punctual.StoreUnavailableException} if the store still does not answer after the timeout plus
 * the client's {@code blockingTimeout}. For this purpose, {@code take} has a timeout of a day. A
 * {@code poll} waits a day at most. Safe for use by many threads.
 *
 * @param <E> the payload's type; its {@code equals} decides about {@code remove} and {@code
 *     contains}
 */
public final class DueQueue<E> extends BlockingView<E> {
  private DueQueue(TimedQueue<E> queue, ClaimOptions options) {
    super(queue, options, List.of(State.READY));
  }

  /** Returns a view of the due messages of this queue. */
  public static <E> DueQueue<E> of(TimedQueue<E> queue) {
    return of(queue, ClaimOptions.DEFAULT);
  }

  /**
   * Returns a view of the due messages of this queue whose takes have these options, for example a
   * {@linkplain ClaimOptions#prefetch prefetch}.
   *
   * @throws IllegalArgumentException if the options have a wait, since each call has its own, a
   *     lease or a claimant
   */
  public static <E> DueQueue<E> of(TimedQueue<E> queue, ClaimOptions options) {
    return new DueQueue<>(queue, options);
  }

  @Override
  Due due(E element) {
    return Due.now();
  }
}
