package io.punctual.rabbitmq;

import io.punctual.ClientClosedException;
import io.punctual.Message;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Outgoing;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes each message from its arrival to the store, or to the queue for refused messages if the
 * store can never hold it. A message that fails is tried again at its own time, so that it delays
 * no other message. Used by the thread of the loop only.
 */
final class Storing {
  /** The number of waits for the ack of a copy, which take about a second in all. */
  private static final int COPY_TRIES = 8;

  private final IntakeSettings settings;
  private final TimedQueue<byte[]> store;
  private final ConfirmedPublisher publisher;
  private final IntakeLog log;
  private final IntakeCounters counters;
  private final Loop loop;

  /** The messages that wait for their next try, by its time. */
  private final PriorityQueue<Again> waiting =
      new PriorityQueue<>((one, other) -> one.at().compareTo(other.at()));

  /** A try that waits for its time. */
  private record Again(Tries at, Runnable action) {}

  interface Loop {
    /** Runs the task on the thread of the loop, unless the connection has been lost. */
    void run(Arrival arrival, Runnable task);

    /** The client of the store is closed. */
    void storeIsClosed();
  }

  Storing(
      IntakeSettings settings,
      TimedQueue<byte[]> store,
      ConfirmedPublisher publisher,
      IntakeLog log,
      IntakeCounters counters,
      Loop loop) {
    this.settings = settings;
    this.store = store;
    this.publisher = publisher;
    this.log = log;
    this.counters = counters;
    this.loop = loop;
  }

  /** Forgets all messages, because their connection is lost. */
  void clear() {
    waiting.clear();
    counters.failed.set(0);
  }

  /** Starts the tries that are due; returns how long the next try has to wait. */
  long retry(long longestNanos) {
    while (true) {
      Again first = waiting.peek();
      long left = first == null ? longestNanos : first.at.leftNanos();
      if (first == null || left > 0) {
        return Math.min(left, longestNanos);
      }
      waiting.remove();
      first.action.run();
    }
  }

  void schedule(Arrival arrival) {
    Message<byte[]> message;
    try {
      message = arrival.message();
    } catch (RuntimeException e) {
      refuse(arrival, e);
      return;
    }
    try {
      then(
          store.async().schedule(message, arrival.ifPresent()),
          arrival,
          (scheduled, failure) -> scheduled(arrival, scheduled, failure));
    } catch (RuntimeException e) {
      failed(arrival, e);
    }
  }

  private <R> void then(
      CompletionStage<R> stage, Arrival arrival, BiConsumer<R, @Nullable Throwable> action) {
    CompletionStage<R> unused =
        stage.whenComplete(
            (result, failure) -> loop.run(arrival, () -> action.accept(result, failure)));
  }

  private void scheduled(Arrival arrival, Scheduled scheduled, @Nullable Throwable failure) {
    if (failure != null) {
      failed(arrival, failure);
      return;
    }
    counters.storeIsAway(false);
    if (scheduled.isStored()) {
      counters.stored.incrementAndGet();
      arrival.finish();
    } else {
      lookUp(arrival);
    }
  }

  private void lookUp(Arrival arrival) {
    try {
      then(
          store.async().find(arrival.id()),
          arrival,
          (found, failure) -> found(arrival, found, failure));
    } catch (RuntimeException e) {
      failed(arrival, e);
    }
  }

  /** Decides whether a message is a repetition of the stored message with the same id. */
  private void found(
      Arrival arrival, Optional<StoredMessage<byte[]>> found, @Nullable Throwable failure) {
    if (failure != null) {
      failed(arrival, failure);
    } else if (found.isEmpty()) {
      // The message with this id was removed in the meantime, for example after its delivery.
      schedule(arrival);
    } else if (found.get().state() == State.FINISHED) {
      // The store remembers only the id of the finished message.
      drop(arrival);
    } else if (!arrival.isSame(found.get())) {
      log.sameId(arrival);
      rename(arrival);
    } else if (found.get().state() == State.DEAD || found.get().isCancelled()) {
      arrival.replace();
      schedule(arrival);
    } else if (arrival.repeats(found.get())) {
      drop(arrival);
    } else {
      awaitEnd(arrival);
    }
  }

  private void drop(Arrival arrival) {
    log.duplicate(arrival);
    counters.duplicates.incrementAndGet();
    arrival.finish();
  }

  private void rename(Arrival arrival) {
    counters.renamed.incrementAndGet();
    arrival.changeId();
    schedule(arrival);
  }

  /**
   * Waits for the end of a copy that consumers may have received, so that this message can have its
   * id. If the copy stays for about a second, stores this message under a longer id.
   */
  private void awaitEnd(Arrival arrival) {
    arrival.copyWasDelivered();
    Tries waits = arrival.waits();
    if (waits.failures() >= COPY_TRIES) {
      rename(arrival);
      return;
    }
    waits.failed();
    waiting.add(new Again(waits, () -> schedule(arrival)));
  }

  private void failed(Arrival arrival, Throwable failure) {
    Throwable cause = unwrapped(failure);
    if (cause instanceof IllegalArgumentException) {
      refuse(arrival, cause);
    } else if (cause instanceof ClientClosedException) {
      log.storeClosed();
      loop.storeIsClosed();
    } else {
      counters.storeIsAway(true);
      log.notStored(arrival, cause);
      again(arrival.tries(), () -> schedule(arrival));
    }
  }

  private void again(Tries tries, Runnable action) {
    counters.failed.incrementAndGet();
    tries.failed();
    waiting.add(
        new Again(
            tries,
            () -> {
              counters.failed.decrementAndGet();
              action.run();
            }));
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /** Moves a message that the store can never hold to the queue for refused messages. */
  void refuse(Arrival arrival, Throwable reason) {
    Outgoing message = RefusedMessage.of(arrival, settings.topology().refusedQueue(), reason);
    publisher.publish(message);
    then(
        message.confirmed(),
        arrival,
        (confirmed, failure) -> {
          if (failure != null) {
            log.notMoved(arrival, reason, failure);
            again(arrival.moves(), () -> refuse(arrival, reason));
            return;
          }
          counters.refused.incrementAndGet();
          log.refused(arrival, reason);
          arrival.finish();
        });
  }
}
