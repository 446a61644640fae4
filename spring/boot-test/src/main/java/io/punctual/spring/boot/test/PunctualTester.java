package io.punctual.spring.boot.test;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.RegisteredListener;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Moves the time of a test, and shows the messages.
 *
 * <pre>{@code
 * tester.advance(Duration.ofMinutes(30));
 * assertThat(orders.isClosed("42")).isTrue();
 * }</pre>
 *
 * <p>For use by one thread.
 */
public final class PunctualTester {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int PAGE = 1000;

  /** The pauses of a millisecond after which a queue without a running handler gets a wake-up. */
  private static final int PAUSES_BEFORE_WAKE_UP = 50;

  private final Punctual punctual;
  private final PunctualQueues queues;
  private final PunctualListenerRegistry registry;
  private final ManualClock clock;

  PunctualTester(
      Punctual punctual,
      PunctualQueues queues,
      PunctualListenerRegistry registry,
      ManualClock clock) {
    this.punctual = punctual;
    this.queues = queues;
    this.registry = registry;
    this.clock = clock;
  }

  /**
   * Advances the clock, from due time to due time, and waits at each until all due messages of
   * running listeners are processed. Retries and messages that listeners schedule are processed as
   * well if they are due within the span.
   *
   * @throws IllegalStateException if a listener takes longer than 10 seconds of real time
   */
  public void advance(Duration span) {
    Instant end = clock.instant().plus(span);
    awaitQuiet();
    Optional<Instant> next = nextDue(end);
    while (next.isPresent()) {
      clock.advance(Duration.between(clock.instant(), next.get()));
      awaitQuiet();
      next = nextDue(end);
    }
    clock.advance(Duration.between(clock.instant(), end));
    awaitQuiet();
  }

  /** Waits until all due messages of running listeners are processed, without moving the clock. */
  public void awaitQuiet() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Optional<String> busy = busyQueue();
    for (int pauses = 1; busy.isPresent(); pauses++) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "The listeners of queue '"
                + busy.get()
                + "' have not processed its due messages within "
                + PATIENCE.toSeconds()
                + " seconds: "
                + queue(busy.get()).counts());
      }
      if (pauses % PAUSES_BEFORE_WAKE_UP == 0) {
        wakeUp(queue(busy.get()));
      }
      pause();
      busy = busyQueue();
    }
  }

  /**
   * Wakes the workers of a queue whose due messages none of them has claimed: the end of a queue's
   * pause is a hint to all workers. A worker that computed its delay just before the clock advanced
   * has set its timer too late, and this clock stands still until the worker has claimed.
   */
  private static void wakeUp(TimedQueue<byte[]> queue) {
    Counts counts = queue.counts();
    if (counts.ready() > 0 && counts.leased() == 0 && !counts.paused()) {
      queue.pause();
      queue.resume();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while listeners run", e);
    }
  }

  /** Returns the messages of a queue that are not due yet, earliest due first. */
  public <T> List<StoredMessage<T>> scheduled(String queue, Class<T> type) {
    return all(queues.get(queue, type), State.SCHEDULED);
  }

  /** Returns the dead letters of a queue, earliest death first. */
  public <T> List<StoredMessage<T>> deadLetters(String queue, Class<T> type) {
    return all(queues.get(queue, type), State.DEAD);
  }

  /** Returns the clock. */
  public ManualClock clock() {
    return clock;
  }

  private static <T> List<StoredMessage<T>> all(TimedQueue<T> queue, State state) {
    List<StoredMessage<T>> all = new ArrayList<>();
    Page<StoredMessage<T>> page = queue.browse(state, PAGE);
    all.addAll(page.items());
    while (page.next().isPresent()) {
      page = queue.browse(state, page.next(), PAGE);
      all.addAll(page.items());
    }
    return all;
  }

  private Optional<Instant> nextDue(Instant end) {
    return punctual.queues().stream()
        .flatMap(name -> queue(name).browse(State.SCHEDULED, 1).items().stream())
        .map(StoredMessage::dueAt)
        .filter(due -> !due.isAfter(end))
        .min(Instant::compareTo);
  }

  private Optional<String> busyQueue() {
    return listenedQueues().filter(name -> isBusy(queue(name).counts())).findFirst();
  }

  private Stream<String> listenedQueues() {
    return registry.listeners().stream()
        .filter(RegisteredListener::isRunning)
        .flatMap(listener -> listener.queues().stream());
  }

  private static boolean isBusy(Counts counts) {
    return !counts.paused() && counts.ready() + counts.leased() > 0;
  }

  private TimedQueue<byte[]> queue(String name) {
    return punctual.queue(name, Codec.bytes());
  }
}
