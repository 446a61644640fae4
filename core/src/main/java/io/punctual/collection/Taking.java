package io.punctual.collection;

import io.punctual.ClaimOptions;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes the payloads of due messages. A call that throws {@link InterruptedException} takes no
 * message. Thread-safe.
 */
record Taking<E>(TimedQueue<E> queue, ClaimOptions options) {
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

  /**
   * Returns an element, or null if the time or a day has passed, or if the client is closed
   * meanwhile.
   */
  @Nullable E poll(long time, TimeUnit unit) throws InterruptedException {
    Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
    return poll(wait.compareTo(LONG) < 0 ? wait : LONG);
  }

  private @Nullable E poll(Duration wait) throws InterruptedException {
    List<Message<E>> taken = taken(1, wait);
    return taken.isEmpty() ? null : taken.get(0).payload();
  }

  private List<Message<E>> taken(int max, Duration wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    try {
      return queue.take(max, options.maxWait(wait));
    } catch (OutcomeUnknownException e) {
      if (e.getCause() instanceof InterruptedException && Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
      }
      throw e;
    }
  }

  /** Returns up to {@code max} elements that are due now. An interrupt does not end the call. */
  List<E> now(int max) {
    boolean interrupted = false;
    List<E> elements = new ArrayList<>();
    try {
      while (elements.size() < max) {
        try {
          List<Message<E>> taken = taken(Math.min(MAX, max - elements.size()), Duration.ZERO);
          taken.forEach(message -> elements.add(message.payload()));
          if (taken.isEmpty()) {
            break;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (RuntimeException e) {
      // The store no longer has these elements, so the caller must receive them. If the cause
      // persists, the next call throws.
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
}
