package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A named stream of messages that come back when they are due; its workers, in all processes,
 * compete for them. Got from {@link Punctual#queue}.
 *
 * <p>Changes made through one {@link Punctual} to one id take effect in the order they were called.
 * Blocking calls return when the store has confirmed; an {@code Async} form completes then, on the
 * thread that brought the answer, which must not block, or on {@link
 * Punctual.Builder#callbackExecutor}. A blocking call on such a thread throws {@link
 * IllegalStateException} at once. Both forms end in:
 *
 * <ul>
 *   <li>{@link IllegalArgumentException} for what is beyond the {@link Limits}, thrown at once;
 *   <li>{@link StoreUnavailableException} when the store could not be reached: not done;
 *   <li>{@link OutcomeUnknownException} when the answer never came: done or not;
 *   <li>{@link StoreRefusedException} when the store was reached and refused: not done;
 *   <li>{@link ClientClosedException} when the {@link Punctual} is closed: not done;
 *   <li>{@link StoreFullException} when a schedule finds no room: not done;
 *   <li>{@link ClientBusyException} when too much waits for the store already: not done; a blocking
 *       schedule first waits for room in {@link Punctual.Builder#operationBytes};
 *   <li>{@link NotConfirmedException} when the {@link Durability} asked for was not reached: done;
 *   <li>{@link UnsupportedOperationException} for what the store cannot do.
 * </ul>
 *
 * <p>A blocking call waits {@link Punctual.Builder#blockingTimeout}, 5 seconds by default. If the
 * change was certainly not sent by then, it is withdrawn and the call ends in {@link
 * StoreUnavailableException}; otherwise in {@link OutcomeUnknownException}. A blocking call that is
 * interrupted throws {@link OutcomeUnknownException}, which has the message's id, with the
 * interrupt flag set; the change goes on. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface TimedQueue<T> {
  /** Returns the queue's name. */
  String name();

  /** Returns how many partitions the queue has, as far as this client knows. */
  int partitions();

  /** Schedules a payload under a made id; a negative delay means at once. */
  default Scheduled schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload under a made id; a past instant means at once. */
  default Scheduled schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message; one that is there under the same id stays. */
  default Scheduled schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /** Schedules a message. */
  Scheduled schedule(Message<T> message, IfPresent ifPresent);

  /** As {@link #schedule(Message)}, without waiting. */
  default CompletionStage<Scheduled> scheduleAsync(Message<T> message) {
    return scheduleAsync(message, IfPresent.KEEP);
  }

  /** As {@link #schedule(Message, IfPresent)}, without waiting. */
  CompletionStage<Scheduled> scheduleAsync(Message<T> message, IfPresent ifPresent);

  /** As {@link #scheduleAll(Collection, IfPresent)}; messages that are there stay. */
  default List<Scheduled> scheduleAll(Collection<Message<T>> messages) {
    return scheduleAll(messages, IfPresent.KEEP);
  }

  /**
   * Schedules many messages, in few calls to the store; faster by far than one by one. Not atomic:
   * when it throws, a part may be stored.
   *
   * @return one answer a message, in their order
   */
  List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent);

  /** As {@link #scheduleAll(Collection, IfPresent)}, without waiting. */
  CompletionStage<List<Scheduled>> scheduleAllAsync(
      Collection<Message<T>> messages, IfPresent ifPresent);

  /** Cancels a message by its id. */
  CancelOutcome cancel(String id);

  /** As {@link #cancel}, without waiting. */
  CompletionStage<CancelOutcome> cancelAsync(String id);

  /** Gives a waiting message a new time, earlier or later. */
  RescheduleOutcome reschedule(String id, Due due);

  /** As {@link #reschedule}, without waiting. */
  CompletionStage<RescheduleOutcome> rescheduleAsync(String id, Due due);

  /** Makes a waiting message due now. */
  RescheduleOutcome runNow(String id);

  /** As {@link #runNow}, without waiting. */
  CompletionStage<RescheduleOutcome> runNowAsync(String id);

  /** Starts a worker with the default options. */
  default Worker work(Handler<T> handler) {
    return work(WorkerOptions.DEFAULT, handler);
  }

  /** Starts a worker; it runs until it, or the {@link Punctual}, is closed. */
  Worker work(WorkerOptions options, Handler<T> handler);

  /** Starts a worker whose handler holds no thread. */
  Worker workAsync(WorkerOptions options, AsyncHandler<T> handler);

  /** Starts a worker whose handler takes several messages at once. */
  Worker workBatch(WorkerOptions options, BatchHandler<T> handler);

  /**
   * Claims messages by hand, waiting up to {@code wait} for the first. Their leases are not
   * renewed; whoever claims settles, or extends. Returns an empty list when the time is over or the
   * queue was closed.
   *
   * @param max how many at most, 1 to 1000
   * @param lease how long they are held, 1 millisecond to {@link Limits#DAYS}
   */
  List<Delivery<T>> claim(int max, Duration lease, Duration wait);

  /** As {@link #claim(int, Duration, Duration)} with a lease of 30 seconds. */
  default List<Delivery<T>> claim(int max, Duration wait) {
    return claim(max, WorkerOptions.DEFAULT.lease(), wait);
  }

  /** As {@link #claim(int, Duration, Duration)}, without waiting. */
  CompletionStage<List<Delivery<T>>> claimAsync(int max, Duration lease, Duration wait);

  /** Finds a message by its id. */
  Optional<StoredMessage<T>> find(String id);

  /** As {@link #find}, without waiting. */
  CompletionStage<Optional<StoredMessage<T>>> findAsync(String id);

  /**
   * Lists the first messages in a state: waiting ones by due time, leased ones by the end of their
   * leases, dead letters by the time of death.
   *
   * @param limit how many at most, 1 to 1000
   */
  default Page<StoredMessage<T>> browse(State state, int limit) {
    return browse(state, Optional.empty(), limit);
  }

  /**
   * Lists the messages that come after a cursor.
   *
   * @param cursor the {@link Page#next} of the page before, or empty for the first
   * @param limit how many at most, 1 to 1000
   */
  Page<StoredMessage<T>> browse(State state, Optional<String> cursor, int limit);

  /** Counts the messages in each state. */
  Counts counts();

  /**
   * Tells how many waiting messages come due when.
   *
   * @param buckets into how many spans the time is cut, 1 to 500
   * @throws IllegalArgumentException if {@code to} is not after {@code from}
   */
  Forecast forecast(Instant from, Instant to, int buckets);

  /** Pauses the queue, for every worker in every process: nothing more is claimed. */
  void pause();

  /** Resumes the queue. */
  void resume();

  /**
   * Removes the messages that are in these states now, in bounded steps while the queue goes on.
   *
   * @return how many were removed
   */
  long purge(Set<State> states);

  /** Gives dead letters to look at, redrive and delete. */
  DeadLetters<T> deadLetters();

  /**
   * Returns a view of this queue whose changes ask for this durability instead of the store's own.
   *
   * @throws UnsupportedOperationException if the store has none to choose from
   */
  TimedQueue<T> withDurability(Durability durability);

  /**
   * Returns a view of this queue whose blocking calls wait this long for the store, instead of
   * {@link Punctual.Builder#blockingTimeout}. A claim waits for messages first, and then this long
   * for the store. A purge takes the time that it needs.
   *
   * @param timeout at least a millisecond
   */
  TimedQueue<T> withTimeout(Duration timeout);
}
