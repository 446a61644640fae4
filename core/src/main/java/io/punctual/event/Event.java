package io.punctual.event;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.Worker;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An event in a client, such as a confirmed schedule or a lost lease. Immutable. Later versions may
 * add kinds, so observers must ignore kinds that they do not know.
 */
public interface Event {
  /** Returns the name of the queue. */
  String queue();

  /** A schedule was confirmed. */
  record MessageScheduled(String queue, String id, ScheduleOutcome outcome) implements Event {}

  /**
   * A change of a message failed: it was refused, or the store did not confirm it. {@link
   * io.punctual.TimedQueue#settle} publishes this event too. A failed settlement by a method of
   * {@link io.punctual.Delivery} is logged, and publishes no event.
   *
   * @param operation for example {@code schedule}, {@code cancel} or {@code redrive}
   * @param failure the exception of the call; its type says whether the change may have been done
   */
  record OperationFailed(String queue, String operation, String id, Throwable failure)
      implements Event {}

  /** A cancel was confirmed. */
  record MessageCancelled(String queue, String id, CancelOutcome outcome) implements Event {}

  /** A reschedule, or a request to run a message now, was confirmed. */
  record MessageRescheduled(String queue, String id, RescheduleOutcome outcome) implements Event {}

  /** A dead letter was redriven, by its id or by a task. */
  record DeadLetterRedriven(String queue, String id) implements Event {}

  /**
   * A dead letter was deleted, by its id, by a task or by a retention. A purge publishes {@link
   * MessagesPurged} instead.
   */
  record DeadLetterDeleted(String queue, String id) implements Event {}

  /**
   * A purge has ended.
   *
   * @param states the states of the purged messages; unmodifiable
   * @param count the number of removed messages
   */
  record MessagesPurged(String queue, Set<State> states, long count) implements Event {}

  /** A worker was started, and claims next. */
  record WorkerStarted(String queue, Worker worker) implements Event {}

  /** A worker ended: its handlers have ended, or the worker no longer waits for them. */
  record WorkerStopped(String queue, Worker worker) implements Event {}

  /**
   * A claim returned messages.
   *
   * @param count the number of messages, at least 1
   */
  record MessagesClaimed(String queue, int count) implements Event {}

  /**
   * A consumer received a message: a handler, or the caller of a claim or a take.
   *
   * @param lateness the time from the due time to the claim, plus the local time from the reply of
   *     the claim to the consumer
   */
  record MessageHandedOver(String queue, String id, int attempt, Duration lateness)
      implements Event {}

  /**
   * A handler of a worker has ended. The settlement of the message follows, unless the handler has
   * settled it. An asynchronous handler ends with its stage, at its time-out, or at the end of the
   * worker's grace period. A batch handler has an event for each message.
   *
   * @param duration the time since the handler received the message
   * @param failure the exception of the handler, or null if the handler succeeded
   */
  record HandlerEnded(
      String queue, String id, int attempt, Duration duration, @Nullable Throwable failure)
      implements Event {}

  /** An ack was confirmed. */
  record MessageAcked(String queue, String id, int attempt) implements Event {}

  /**
   * An attempt failed, and the store has confirmed the retry.
   *
   * @param delay the time until the next attempt is due
   * @param failure the exception of the handler or the codec, or of {@link
   *     io.punctual.Settlement.Fail}; null if the consumer retried the message itself
   */
  record MessageRetried(
      String queue, String id, int attempt, Duration delay, @Nullable Throwable failure)
      implements Event {}

  /**
   * A message became a dead letter.
   *
   * @param detail the details of the reason
   * @param failure the exception of the last attempt, or null if the message was buried without an
   *     exception
   */
  record MessageBuried(
      String queue,
      String id,
      int attempt,
      DeadReason reason,
      String detail,
      @Nullable Throwable failure)
      implements Event {}

  /**
   * The attempts of an occurrence of a recurring message are exhausted, and the store has scheduled
   * the next occurrence. If the message is not recurring, or has {@link
   * io.punctual.Recurrence#stopOnFailure}, it becomes a dead letter instead, and the event is
   * {@link MessageBuried}.
   *
   * @param occurrence the planned time of the failed occurrence
   * @param detail the details of the reason
   * @param failure the exception of the last attempt, or null if the attempt had no exception
   * @param next the next occurrence
   */
  record OccurrenceFailed(
      String queue,
      String id,
      Instant occurrence,
      int attempt,
      DeadReason reason,
      String detail,
      @Nullable Throwable failure,
      Instant next)
      implements Event {}

  /**
   * A message returned to the queue, and the attempt did not count.
   *
   * @param delay the time until the message is due after a deferral, or null for the old due time
   */
  record MessageReleased(String queue, String id, int attempt, @Nullable Duration delay)
      implements Event {}

  /**
   * A consumer has processed a message, and scheduled it once more: by a repeat, or by the ack or
   * the take of a recurring message.
   */
  record MessageRepeated(String queue, String id, int attempt, Due due) implements Event {}

  /**
   * The store discarded a message at its settlement, because the message had been cancelled while
   * it was leased; see {@link io.punctual.SettleOutcome#DISCARDED}.
   */
  record MessageDiscarded(String queue, String id, int attempt) implements Event {}

  /**
   * A delivery lost its lease before it was settled. The message is delivered again, unless it was
   * settled elsewhere, cancelled, replaced or purged.
   */
  record LeaseLost(String queue, String id, int attempt) implements Event {}

  /**
   * The store has not answered for a second, refuses calls, or can't be opened. The client keeps
   * trying.
   *
   * @param queue a queue of the failing store, or empty if the store could not be opened
   * @param failure for example {@link io.punctual.StoreUnavailableException} or {@link
   *     io.punctual.StoreRefusedException}
   */
  record StoreTrouble(String queue, Throwable failure) implements Event {}

  /**
   * The store answers again, and no partition in use still fails.
   *
   * @param queue the queue of the last partition that recovered or has no more calls, or empty if
   *     the outage ended because the store could be opened
   * @param silence the time since the first failure of the outage
   */
  record StoreRecovered(String queue, Duration silence) implements Event {}
}
