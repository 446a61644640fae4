package io.punctual.collection;

import io.punctual.Delivery;
import io.punctual.OutcomeUnknownException;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes due messages from a queue: claims them, and returns their payloads when the store has
 * confirmed the acks. An interrupt takes no message from the queue. Thread-safe.
 */
record Taking<E>(TimedQueue<E> queue) {
  private static final int MAX = 1000;
  private static final Duration LONG = Duration.ofDays(1);

  /** Waits for an element without a time limit. */
  E take() throws InterruptedException {
    while (true) {
      E element = poll(LONG);
      if (element != null) {
        return element;
      }
    }
  }

  /** Returns an element, or null if the time is over or the client is closed. */
  @Nullable E poll(long time, TimeUnit unit) throws InterruptedException {
    Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
    return poll(wait.compareTo(LONG) < 0 ? wait : LONG);
  }

  private @Nullable E poll(Duration wait) throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    Duration left = wait;
    while (true) {
      List<Delivery<E>> claimed = claim(1, left);
      List<E> elements = acked(claimed);
      left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      if (!elements.isEmpty()) {
        return elements.get(0);
      }
      if (claimed.isEmpty() && left.isZero()) {
        return null;
      }
    }
  }

  private List<Delivery<E>> claim(int max, Duration wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    try {
      return queue.claim(max, wait);
    } catch (OutcomeUnknownException e) {
      if (e.getCause() instanceof InterruptedException && Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
      }
      throw e;
    }
  }

  /** Returns up to {@code max} elements that are due now. An interrupt does not end it. */
  List<E> now(int max) {
    boolean interrupted = false;
    List<E> elements = new ArrayList<>();
    try {
      while (elements.size() < max) {
        try {
          List<Delivery<E>> claimed = claim(Math.min(MAX, max - elements.size()), Duration.ZERO);
          elements.addAll(acked(claimed));
          if (claimed.isEmpty()) {
            break;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (RuntimeException e) {
      // The elements are gone from the store, so they are returned; the next call fails by itself.
      if (elements.isEmpty()) {
        throw e;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return elements;
  }

  /**
   * Acks the messages. A message whose ack is not certain is left out: it returns when its lease
   * expires, unless the store executed the ack.
   *
   * @throws RuntimeException the failure of an ack, if no ack was confirmed
   */
  private static <E> List<E> acked(List<Delivery<E>> claimed) {
    List<CompletableFuture<SettleOutcome>> acks =
        claimed.stream().map(each -> each.ackAsync().toCompletableFuture()).toList();
    List<E> elements = new ArrayList<>(claimed.size());
    RuntimeException failure = null;
    for (int i = 0; i < acks.size(); i++) {
      try {
        if (confirmed(acks.get(i)) == SettleOutcome.DONE) {
          elements.add(claimed.get(i).payload());
        }
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (elements.isEmpty() && failure != null) {
      throw failure;
    }
    return elements;
  }

  private static SettleOutcome confirmed(CompletableFuture<SettleOutcome> ack) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return ack.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw e.getCause() instanceof RuntimeException failure
              ? failure
              : new IllegalStateException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
