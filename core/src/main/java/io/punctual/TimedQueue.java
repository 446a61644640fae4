package io.punctual;

import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A queue of messages that are delivered when they are due. The workers of all processes compete
 * for the messages. {@link Punctual#queue} opens a queue.
 *
 * <p>Schedules, cancels and reschedules of an id through the same {@link Punctual} take effect in
 * the order of the calls. A blocking call returns when the store has confirmed the change, and the
 * stage of its form in {@link #async} completes then. A blocking call on a thread that must not
 * block throws {@link IllegalStateException} at once. Both forms can fail with:
 *
 * <ul>
 *   <li>{@link IllegalArgumentException} if an argument exceeds the {@link Limits}: not done; most
 *       asynchronous forms also throw it at once;
 *   <li>{@link NotDoneException}: not done. {@link StoreUnavailableException} when the store could
 *       not be reached; {@link StoreRefusedException} when the store refused; {@link
 *       StoreFullException} when the store has no room for a message; {@link ClientBusyException}
 *       when too many operations wait for the store, though a blocking schedule first waits for
 *       room in {@link PunctualBuilder#operationBytes}; {@link ClientClosedException} when the
 *       {@link Punctual} is closed; {@link LockedByTransactionException} when an open transaction
 *       has changed the message;
 *   <li>{@link OutcomeUnknownException} when the store did not answer: done or not;
 *   <li>{@link NotConfirmedException} when the required {@link Durability} was not confirmed: done;
 *   <li>{@link UnsupportedOperationException} if the store lacks the capability.
 * </ul>
 *
 * <p>A blocking call waits up to {@link PunctualBuilder#blockingTimeout}, 5 seconds by default. If
 * the change was certainly not sent by then, the client withdraws it and the call throws {@link
 * StoreUnavailableException}; otherwise it throws {@link OutcomeUnknownException}. If the thread is
 * interrupted, a change sets the interrupt flag and throws {@link OutcomeUnknownException}, with
 * the id of a single message; the change may still be done. A schedule that is interrupted while it
 * waits for room was not sent, and throws {@link ClientBusyException}. Safe for use by many
 * threads.
 *
 * @param <T> the payload's type
 */
public interface TimedQueue<T> {
  /** Returns the queue's name. */
  String name();

  /** Returns the queue's number of partitions, as this client knows it. */
  int partitions();

  /** Returns the asynchronous forms of the operations of this queue, or of this view. */
  AsyncTimedQueue<T> async();

  /** Schedules a payload with a generated id; a negative delay means now. */
  default Scheduled schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload with a generated id; a past instant means now. */
  default Scheduled schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /**
   * Schedules a message. If the queue already has a message with the same id, {@link
   * IfPresent#KEEP} applies.
   */
  default Scheduled schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /** Schedules a message. */
  Scheduled schedule(Message<T> message, IfPresent ifPresent);

  /**
   * Schedules many messages, like {@link #scheduleAll(Collection, IfPresent)} with {@link
   * IfPresent#KEEP}.
   */
  default List<Scheduled> scheduleAll(Collection<Message<T>> messages) {
    return scheduleAll(messages, IfPresent.KEEP);
  }

  /**
   * Schedules many messages in few calls of the store, much faster than single calls. Not atomic:
   * when it throws, some of the messages may be stored. The time-out of a blocking call begins
   * again with each part of the batch that the store has answered.
   *
   * @return one result for each message, in the same order
   * @throws BatchException if the store stored only a part of the messages, or if this is unknown
   *     for a part of them; it has the outcome of each message
   */
  List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent);

  /** Cancels a message by its id. */
  CancelOutcome cancel(String id);

  /**
   * Cancels many messages in few calls of the store, much faster than single calls. Not atomic:
   * when it throws, some of the messages may be cancelled; repeating the call is safe.
   *
   * @return one outcome for each id, in the same order
   * @throws BatchException if only a part of the cancels was done, or if this is unknown
   * @throws IllegalArgumentException if an id exceeds the {@link Limits}; nothing was cancelled
   */
  List<CancelOutcome> cancelAll(Collection<String> ids);

  /** Gives a waiting message a new due time, earlier or later. */
  RescheduleOutcome reschedule(String id, Due due);

  /** Makes a waiting message due now. */
  RescheduleOutcome runNow(String id);

  /**
   * Starts to change the waiting messages that match a filter, in the background of the client. The
   * task lists the messages, up to 1000 at a time, and changes each of them only if it still waits
   * with the due time of the listing. A message that was rescheduled, removed or leased meanwhile
   * stays as it is. If its id was scheduled again with the same due time, the new message is
   * changed.
   *
   * <p>A message is changed at most once, also if the change puts it into the range of the filter
   * again, unless its due time changes for a different reason: a message that is rescheduled or
   * retried to a due time that the task has not visited yet is a match again. A message that is
   * scheduled meanwhile may be left out. With a {@link TaskOptions#checkpoint}, this also holds for
   * a task that continues the work of a process that died; without a checkpoint, a shift must not
   * be continued after a crash or a close of the client, only after a {@linkplain Task#cancel
   * cancel}.
   *
   * <pre>{@code
   * MessageFilter filter = MessageFilter.ALL.withHeader("tenant", "acme").withDueBefore(tomorrow);
   * queue.change(filter, MessageChange.cancel(), TaskOptions.DEFAULT.perSecond(1000)).await();
   * }</pre>
   *
   * @throws IllegalArgumentException if {@link TaskOptions#after} is not the position of a task of
   *     this queue, or the messages of the filter can't have this change
   */
  Task<TaskProgress> change(MessageFilter filter, MessageChange change, TaskOptions options);

  /** Starts a worker with the options of {@link PunctualBuilder#queueDefaults}. */
  Worker work(Handler<T> handler);

  /** Starts a worker, which runs until it or the {@link Punctual} is closed. */
  Worker work(WorkerOptions options, Handler<T> handler);

  /**
   * Starts a worker with an asynchronous handler and the options of {@link
   * PunctualBuilder#queueDefaults}.
   */
  Worker workStages(AsyncHandler<T> handler);

  /** Starts a worker with an asynchronous handler, which holds no thread while it waits. */
  Worker workStages(WorkerOptions options, AsyncHandler<T> handler);

  /**
   * Starts a worker with a handler that receives several messages at once, and the options of
   * {@link PunctualBuilder#queueDefaults}.
   */
  Worker workBatches(BatchHandler<T> handler);

  /** Starts a worker with a handler that receives several messages at once. */
  Worker workBatches(WorkerOptions options, BatchHandler<T> handler);

  /**
   * Claims messages without a worker, and waits up to {@link ClaimOptions#maxWait} for the first.
   * The leases are not renewed: the caller settles the deliveries, or extends their leases. Returns
   * an empty list if the wait ends without a message, or if the client is closed during the wait.
   * The codec runs on the calling thread.
   *
   * @param max the largest number of messages, 1 to 1000
   * @throws IllegalArgumentException if the options have a prefetch, which only takes have
   */
  List<Delivery<T>> claim(int max, ClaimOptions options);

  /** Claims messages with the default options and this wait. */
  default List<Delivery<T>> claim(int max, Duration maxWait) {
    return claim(max, ClaimOptions.DEFAULT.maxWait(maxWait));
  }

  /**
   * Settles deliveries, or extends their leases, by the {@linkplain Delivery#receipt receipts} of
   * the deliveries. Any process can do so, while a consumer of this or a different process holds
   * the {@link Delivery}. If several settlements of a delivery arrive, the first takes effect, and
   * the others have the outcome {@link SettleOutcome#LEASE_LOST}. An extension does not end the
   * lease, so settlements can follow it. The holder of the {@link Delivery} learns of a settlement
   * elsewhere from its own next renewal or settlement; until then, {@link Delivery#remaining} and
   * {@link Delivery#isLost} do not show it.
   *
   * <p>Sends all settlements in few calls of the store. Not atomic: when it throws, some of the
   * settlements may have taken effect; if the call is repeated, their outcome is {@link
   * SettleOutcome#LEASE_LOST}, except for extensions. If a settlement needs the recurrence, the
   * remembered time or the earlier failures of its message, and always for a {@link
   * Settlement.Fail}, the client first looks the message up. For the next occurrence and the times
   * of recorded failures, the client uses its own clock. After a look-up of a leased message, it
   * limits this time to the span from the due time to the end of the lease.
   *
   * @return one outcome for each settlement, in the same order
   * @throws BatchException if only a part of the settlements was done, or if this is unknown
   * @throws RecurrenceException if the next occurrence of a message can't be computed; nothing was
   *     settled
   */
  List<SettleOutcome> settle(Collection<? extends Settlement> settlements);

  /**
   * Takes due messages at most once, and waits up to {@link ClaimOptions#maxWait} for the first.
   * The store claims and cancels the messages in one step, so that no consumer receives them again:
   * one round trip is enough, and there is nothing to settle. A process that dies with taken
   * messages loses them; {@link #claim} delivers at least once. To put a message back, schedule it
   * again: it has its id, due time and headers. Returns an empty list if the wait ends without a
   * message, or if the client is closed during the wait. The codec runs on the calling thread.
   *
   * <p>A call that is interrupted, times out or fails takes nothing: messages that arrive after the
   * end of the call are put back with their content and due time, without attempts. They are lost
   * only in these cases: the process dies or the client closes before they are back, or the store
   * does not confirm that they are back, does not answer for an hour, loses the session of the
   * client, or refuses to repeat a lost reply. The client logs such losses, unless its process has
   * died. A put-back message is delivered again even if its id was cancelled or purged in the
   * meantime; if the id was scheduled again, only the new message is delivered. Messages that have
   * expired, are above the attempt limit, or can't be decoded are not taken; {@link
   * ClaimOptions#policy} and {@link #withDeadHandler} apply to them as to a claim.
   *
   * @param max the largest number of messages, 1 to 1000
   * @throws IllegalArgumentException if the options have a lease or a claimant, which only claims
   *     have
   */
  List<Message<T>> take(int max, ClaimOptions options);

  /** Takes messages with the default options and this wait. */
  default List<Message<T>> take(int max, Duration maxWait) {
    return take(max, ClaimOptions.DEFAULT.maxWait(maxWait));
  }

  /** Finds a message by its id. */
  Optional<StoredMessage<T>> find(String id);

  /**
   * Finds many messages, with up to 1000 look-ups in flight. The results are not a snapshot: each
   * look-up sees the message at its own time.
   *
   * @return one result for each id, in the same order
   */
  List<Optional<StoredMessage<T>>> findAll(Collection<String> ids);

  /**
   * Lists the first messages in a state, partition by partition. Within a partition, the order is:
   * waiting messages by due time, leased messages by the end of their leases, dead letters by the
   * time of death, and ids of finished messages by the time at which the store forgets them.
   *
   * @param limit the largest number of messages, 1 to 1000
   */
  default Page<StoredMessage<T>> browse(State state, int limit) {
    return browse(MessageQuery.of(state).limit(limit));
  }

  /**
   * Lists a page of the messages that a query selects.
   *
   * @throws IllegalArgumentException if the cursor of the query is not from a page of this queue,
   *     or from a listing in the other direction
   */
  Page<StoredMessage<T>> browse(MessageQuery query);

  /**
   * Streams the messages that a query selects. Reads the first page at once, and each further page
   * when the messages of the page before are consumed: a read can fail as {@link
   * #browse(MessageQuery)} does. The query's limit is the size of a page. Not a snapshot: messages
   * that change their place meanwhile may be missing, or occur twice. The stream needs no close.
   */
  default Stream<StoredMessage<T>> stream(MessageQuery query) {
    return Page.stream(browse(query), next -> browse(query.after(next)));
  }

  /**
   * Asks the store for the number of messages in each state, the pause and the limits of the queue.
   */
  Counts counts();

  /**
   * Counts the waiting messages that become due in each span of a time range. All spans have the
   * same length in whole milliseconds, so the last span can end after {@code to}.
   *
   * @param buckets the number of spans, 1 to 500
   * @throws IllegalArgumentException if {@code to} is not after {@code from}
   */
  Forecast forecast(Instant from, Instant to, int buckets);

  /**
   * Pauses the queue for all processes: claims return no messages. Removes the note of an earlier
   * pause.
   */
  default void pause() {
    pause(PauseNote.NONE);
  }

  /**
   * Pauses the queue for all processes, and keeps the reason and its author, which {@link #counts}
   * returns. Replaces the note of an earlier pause.
   */
  void pause(PauseNote note);

  /** Resumes the queue. */
  void resume();

  /**
   * Sets the limits of the claims of all consumers of all processes, or removes them with {@link
   * QueueLimits#none}. The limits apply from the next claim, and stay until they are set again or
   * the queue is deleted. Messages that are leased already stay leased.
   *
   * <p>The call replaces the rate and the concurrency together. Two callers that change one part
   * each, based on {@link #limits()}, at the same time may undo each other's change; let a single
   * place set the limits of a queue.
   *
   * <p>Each partition of the queue begins with an equal share of the limits. Clients move free
   * shares to partitions that need more.
   *
   * @throws IllegalArgumentException if the burst or the concurrency is lower than the number of
   *     partitions
   * @throws UnsupportedOperationException if the store does not support limits
   */
  void setLimits(QueueLimits limits);

  /** Asks the store for the limits of the queue; {@link #counts} returns them too. */
  QueueLimits limits();

  /**
   * Removes the messages that are in these states now, in bounded steps, while the queue stays in
   * use.
   *
   * @return the number of removed messages and remembered ids
   * @throws LockedByTransactionException if a transaction has kept a message locked for longer than
   *     the purge waits; the messages that the purge visited before are removed
   */
  long purge(Set<State> states);

  /** Returns the dead letters of the queue. */
  DeadLetters<T> deadLetters();

  /**
   * Returns a view of this queue whose changes belong to a transaction of the store's database.
   *
   * @throws UnsupportedOperationException if the store does not keep its messages in a database
   *     with such transactions
   */
  EnlistedQueue<T> inTransaction(Transaction transaction);

  /**
   * Returns a view of this queue whose changes require this durability instead of the store's
   * default.
   *
   * @throws UnsupportedOperationException if the store offers no choice of durability
   */
  TimedQueue<T> withDurability(Durability durability);

  /**
   * Returns a view of this queue whose blocking calls wait this long for the store, instead of
   * {@link PunctualBuilder#blockingTimeout}. A claim waits for messages first, and then this long
   * for the store. The time does not limit {@link #purge}, {@link DeadLetters#groups}, {@link
   * DeadLetters#deleteBeyond} and {@link Task#await}.
   *
   * @param timeout at least a millisecond
   */
  TimedQueue<T> withTimeout(Duration timeout);

  /**
   * Returns a view of this queue whose workers and manual claims call this handler before they bury
   * a message. In a worker, the handler runs on the threads of the worker's handler, and uses a
   * permit. A manual claim calls the handler on {@link PunctualBuilder#callbackExecutor}, or else
   * on a daemon thread, and does not wait for its end.
   */
  TimedQueue<T> withDeadHandler(DeadHandler<T> handler);
}
