package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous forms of the operations of a {@link TimedQueue}: {@link TimedQueue#async}. An
 * operation takes effect in the order of the calls, also among the blocking calls of the same
 * {@link Punctual}. Its stage completes when the store has confirmed the change or has answered, on
 * the thread that received the reply, which must not block, or on {@link
 * PunctualBuilder#callbackExecutor}. The operations fail as their blocking forms do; most of them
 * throw an {@link IllegalArgumentException} at once. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface AsyncTimedQueue<T> {
  /** The asynchronous form of {@link TimedQueue#schedule(Message)}. */
  default CompletionStage<Scheduled> schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /** The asynchronous form of {@link TimedQueue#schedule(Message, IfPresent)}. */
  CompletionStage<Scheduled> schedule(Message<T> message, IfPresent ifPresent);

  /** The asynchronous form of {@link TimedQueue#schedule(Object, Duration)}. */
  default CompletionStage<Scheduled> schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** The asynchronous form of {@link TimedQueue#schedule(Object, Instant)}. */
  default CompletionStage<Scheduled> schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /** The asynchronous form of {@link TimedQueue#scheduleAll(Collection, IfPresent)}. */
  CompletionStage<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent);

  /** The asynchronous form of {@link TimedQueue#scheduleAll(Collection)}. */
  default CompletionStage<List<Scheduled>> scheduleAll(Collection<Message<T>> messages) {
    return scheduleAll(messages, IfPresent.KEEP);
  }

  /** The asynchronous form of {@link TimedQueue#cancel}. */
  CompletionStage<CancelOutcome> cancel(String id);

  /** The asynchronous form of {@link TimedQueue#cancelAll}. */
  CompletionStage<List<CancelOutcome>> cancelAll(Collection<String> ids);

  /** The asynchronous form of {@link TimedQueue#reschedule}. */
  CompletionStage<RescheduleOutcome> reschedule(String id, Due due);

  /** The asynchronous form of {@link TimedQueue#runNow}. */
  CompletionStage<RescheduleOutcome> runNow(String id);

  /**
   * The asynchronous form of {@link TimedQueue#claim(int, ClaimOptions)}. The codec runs on {@link
   * PunctualBuilder#callbackExecutor}, or on the thread that received the reply.
   *
   * <p>A caller that no longer waits, for example because its own client is gone, cancels the stage
   * or completes it, through {@link CompletionStage#toCompletableFuture}. If the stage was not
   * complete before, the caller receives no messages: the client releases messages of an answer on
   * the way as soon as they arrive, with their old due time and without a counted attempt. If the
   * stage was complete, the call has no effect, and the deliveries are the caller's. The cancel of
   * a stage that depends on this stage has no such effect.
   */
  CompletionStage<List<Delivery<T>>> claim(int max, ClaimOptions options);

  /** The asynchronous form of {@link TimedQueue#claim(int, Duration)}. */
  default CompletionStage<List<Delivery<T>>> claim(int max, Duration maxWait) {
    return claim(max, ClaimOptions.DEFAULT.maxWait(maxWait));
  }

  /** The asynchronous form of {@link TimedQueue#settle}. */
  CompletionStage<List<SettleOutcome>> settle(Collection<? extends Settlement> settlements);

  /**
   * The asynchronous form of {@link TimedQueue#take(int, ClaimOptions)}. A caller that cancels the
   * stage before its end receives no messages. The codec runs on {@link
   * PunctualBuilder#callbackExecutor}, or on the thread that received the reply.
   */
  CompletionStage<List<Message<T>>> take(int max, ClaimOptions options);

  /** The asynchronous form of {@link TimedQueue#take(int, Duration)}. */
  default CompletionStage<List<Message<T>>> take(int max, Duration maxWait) {
    return take(max, ClaimOptions.DEFAULT.maxWait(maxWait));
  }

  /** The asynchronous form of {@link TimedQueue#find}. */
  CompletionStage<Optional<StoredMessage<T>>> find(String id);

  /** The asynchronous form of {@link TimedQueue#findAll}. */
  CompletionStage<List<Optional<StoredMessage<T>>>> findAll(Collection<String> ids);

  /** The asynchronous form of {@link TimedQueue#browse(State, int)}. */
  default CompletionStage<Page<StoredMessage<T>>> browse(State state, int limit) {
    return browse(MessageQuery.of(state).limit(limit));
  }

  /** The asynchronous form of {@link TimedQueue#browse(MessageQuery)}. */
  CompletionStage<Page<StoredMessage<T>>> browse(MessageQuery query);

  /** The asynchronous form of {@link TimedQueue#counts}. */
  CompletionStage<Counts> counts();

  /** The asynchronous form of {@link TimedQueue#forecast}. */
  CompletionStage<Forecast> forecast(Instant from, Instant to, int buckets);

  /** The asynchronous form of {@link TimedQueue#pause()}. */
  default CompletionStage<@Nullable Void> pause() {
    return pause(PauseNote.NONE);
  }

  /** The asynchronous form of {@link TimedQueue#pause(PauseNote)}. */
  CompletionStage<@Nullable Void> pause(PauseNote note);

  /** The asynchronous form of {@link TimedQueue#resume}. */
  CompletionStage<@Nullable Void> resume();

  /** The asynchronous form of {@link TimedQueue#setLimits}. */
  CompletionStage<@Nullable Void> setLimits(QueueLimits limits);

  /** The asynchronous form of {@link TimedQueue#limits()}. */
  CompletionStage<QueueLimits> limits();

  /** The asynchronous form of {@link TimedQueue#purge}. */
  CompletionStage<Long> purge(Set<State> states);
}
