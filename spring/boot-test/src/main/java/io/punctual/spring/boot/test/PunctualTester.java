package io.punctual.spring.boot.test;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.MessageQuery;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Advances the clock of a test, and returns the messages of queues.
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

  /**
   * Each time that this number of pauses of a millisecond has passed, the tester wakes the workers
   * of a queue whose due messages no worker has claimed.
   */
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
   * Advances the clock in steps, from due time to due time. At the start and after each step, waits
   * as {@link #awaitQuiet} does. This includes retries, and messages that listeners schedule, if
   * they are due within the span.
   *
   * @throws IllegalStateException if such a wait takes longer than 10 seconds of real time
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

  /**
   * Waits until the running listeners have processed the due messages of their queues, except
   * paused queues. Does not advance the clock.
   *
   * @throws IllegalStateException if this takes longer than 10 seconds of real time
   */
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
   * Wakes the workers of a queue that has due messages and no leased messages. The method pauses
   * and resumes the queue, because the end of a pause makes all workers look for due messages. The
   * wake-up is needed if a worker computed the delay of its timer just before the clock advanced:
   * then the timer is late, and the clock does not advance until the worker has claimed.
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

  /** Returns the dead letters of a queue, in the order in which they died. */
  public <T> List<StoredMessage<T>> deadLetters(String queue, Class<T> type) {
    return all(queues.get(queue, type), State.DEAD);
  }

  /** Returns the clock. */
  public ManualClock clock() {
    return clock;
  }

  private static <T> List<StoredMessage<T>> all(TimedQueue<T> queue, State state) {
    return queue.stream(MessageQuery.of(state).limit(PAGE)).toList();
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
