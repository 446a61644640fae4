package io.punctual;

import io.punctual.deadletter.DeadHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A message that a single consumer holds under a lease. A consumer settles a delivery once, by an
 * ack, retry, bury, release, defer, repeat or {@link #endRecurrence}; a second settlement throws
 * {@link IllegalStateException}.
 *
 * <p>A blocking settlement returns when the store has confirmed it, and the stage of its form in
 * {@link #async} completes then. Both forms can fail with the exceptions of {@link TimedQueue},
 * such as {@link OutcomeUnknownException} if the store does not answer. If a failed settlement had
 * no effect, the message is delivered again when its lease expires.
 *
 * <p>Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface Delivery<T> {
  /** Returns the message's id. */
  String id();

  /** Returns the queue's name. */
  String queue();

  /**
   * Returns the payload.
   *
   * @throws UndecodableException in a {@link DeadHandler}, if the payload can't be decoded
   */
  T payload();

  /** Returns the headers; unmodifiable. */
  Map<String, String> headers();

  /**
   * Returns the number of this attempt to process the message, from 1. Earlier deliveries that were
   * released or deferred do not count.
   */
  int attempt();

  /**
   * Returns whether the attempts have reached the limit of the retry policy, so that the message is
   * not retried if the handler throws. A rule of the policy can end the retries earlier. A manual
   * claim has the policy of {@link ClaimOptions#policy}.
   */
  boolean isLastAttempt();

  /**
   * Returns the instant after which no handler receives the message; empty if the message does not
   * expire.
   */
  Optional<Instant> notAfter();

  /**
   * Returns when the message was due, by the store's clock: after a retry, the due time of the
   * retry.
   */
  Instant dueAt();

  /** Returns the recurrence of the message, or empty if the message is not recurring. */
  Optional<Recurrence> recurrence();

  /**
   * Returns the planned time of this occurrence of a recurring message: the due time before the
   * retries and deferrals of the occurrence, by the store's clock. The next occurrence counts from
   * it. For other messages, returns {@link #dueAt}.
   */
  Instant occurrence();

  /**
   * Returns when the message was claimed, by the store's clock, with a precision of microseconds.
   */
  Instant claimedAt();

  /**
   * Returns how late the consumer received the message: the time from the due time to the claim by
   * the store's clock, plus the local time from the reply of the claim to the start of the
   * consumer. Never negative, and at most 292 years, the range of {@link Duration#toNanos}.
   */
  Duration lateness();

  /** Returns the failures of earlier attempts, the latest last, five at most; unmodifiable. */
  List<Failure> failures();

  /**
   * Returns the fencing token of the lease. It is greater than the tokens of all earlier leases of
   * this message. In a queue of one partition, it is greater than the tokens of all earlier leases
   * of the queue. A resource that remembers the highest token can reject a consumer with a lower
   * token.
   */
  long fencingToken();

  /**
   * Returns the receipt with which any process can settle this delivery: {@link TimedQueue#settle}.
   */
  Receipt receipt();

  /**
   * Returns the time for which the lease certainly lasts without an extension; zero if the lease
   * may have expired. A worker renews the lease while its handler runs, unless {@link
   * WorkerOptions#renew()} is off.
   */
  Duration remaining();

  /**
   * Returns whether the lease is lost: it expired without a confirmed extension, or the store
   * refused an extension or a settlement. A different consumer may process the message now.
   */
  boolean isLost();

  /**
   * Returns whether the client knows that the message was cancelled while it was leased: it is not
   * delivered again, and a long handler can stop early. The client learns of a cancel from the
   * renewals of a worker, every third of the lease, and from {@link #extend}.
   */
  boolean isCancelled();

  /**
   * Runs the callback once when the client learns that the lease is lost, or at once if the client
   * knows that already. The callback runs on {@link PunctualBuilder#callbackExecutor}. Without an
   * executor it must not block: it runs on a thread of the client, or on the calling thread if the
   * loss is known already. The client logs an exception of the callback. After a settlement the
   * callback does not run.
   */
  void onLost(Runnable callback);

  /**
   * Returns whether a method of this object, or the worker, has settled the delivery. The store may
   * not have confirmed the settlement yet.
   */
  boolean isSettled();

  /** Returns the asynchronous forms of the settlements. */
  AsyncDelivery<T> async();

  /**
   * Removes the message, because it was processed. A recurring message is scheduled for its next
   * occurrence instead, in one step, and its attempts restart at zero. It is removed if no
   * occurrence follows. It is also removed if it was cancelled while it was leased; if an
   * occurrence would follow, the outcome is then {@link SettleOutcome#DISCARDED}.
   *
   * @throws RecurrenceException if the next occurrence can't be computed; the delivery is not
   *     settled then
   */
  SettleOutcome ack();

  /**
   * Acks the message inside a transaction: the removal commits or rolls back together with the
   * handler's own changes, so that these changes take effect exactly once. The call runs a
   * statement on the calling thread. The worker first stops renewing the lease, so the transaction
   * should end before the lease does. If the transaction rolls back, the message is retried as
   * after any failure, also if the handler returns without an exception. If the application commits
   * the connection itself, instead of through the transaction object, the worker asks the store
   * after the handler whether the transaction has committed.
   *
   * <p>At the isolation REPEATABLE READ or SERIALIZABLE, ack before all other statements of the
   * transaction: a renewal of the lease after the first statement makes a later ack fail. The ack
   * locks the message, so no other consumer receives it before the end of the transaction.
   *
   * @throws LeaseLostException if a different consumer may process the message: roll back
   * @throws UnsupportedOperationException if the store does not keep its messages in a database
   *     with such transactions
   */
  void ack(Transaction transaction);

  /**
   * Removes the message, even if it is recurring, so that no further occurrence follows. For other
   * messages, the same as {@link #ack()}.
   */
  SettleOutcome endRecurrence();

  /**
   * Makes the message due again after this delay, and records the failure "retried by the
   * consumer".
   *
   * <p>The attempt counts: once the attempts have reached the limit of the retry policy, five by
   * default, the message is not retried after the next exception of the handler. {@link #defer}
   * postpones a message without a counted attempt.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   */
  SettleOutcome retry(Duration delay);

  /**
   * Retries the message like {@link #retry(Duration)}, and records this reason, which is cut to 300
   * characters.
   */
  SettleOutcome retry(Duration delay, String reason);

  /**
   * Retries the message like {@link #retry(Duration, String)}, inside a transaction. See {@link
   * #ack(Transaction)} for the effect of a commit and a rollback.
   *
   * @throws LeaseLostException if a different consumer may process the message: roll back
   */
  void retry(Transaction transaction, Duration delay, String reason);

  /**
   * Makes the message a dead letter with this reason, which is cut to 300 characters. A recurring
   * message has no further occurrence until a redrive.
   */
  SettleOutcome bury(String reason);

  /**
   * Buries the message like {@link #bury(String)}, inside a transaction. See {@link
   * #ack(Transaction)} for the effect of a commit and a rollback.
   *
   * @throws LeaseLostException if a different consumer may process the message: roll back
   */
  void bury(Transaction transaction, String reason);

  /** Returns the message to the queue at its old due time, without counting this attempt. */
  SettleOutcome release();

  /**
   * Makes the message due again after this delay, without counting this attempt. Use this method
   * when a rate limit is reached, a service is unavailable, or a condition is not met yet. The
   * recorded failures stay. A message can be deferred any number of times, until {@link
   * Message#notAfter}.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   */
  SettleOutcome defer(Duration delay);

  /**
   * Ends the processing of the message, and schedules the message once more under the same id, in
   * one step, so that it is never absent or stored twice. The attempts restart at zero, and the
   * failures are cleared; payload, headers, {@link #notAfter()} and {@link #recurrence()} stay. The
   * next occurrence of a recurring message counts from this due time. {@link Message#recurring}
   * repeats a message without a call of this method.
   *
   * @param due a past due time means now
   */
  SettleOutcome repeat(Due due);

  /**
   * Repeats the message like {@link #repeat(Due)}, with a new payload. The codec may change the
   * headers.
   *
   * @throws IllegalArgumentException if the payload, or the headers with those of the codec, exceed
   *     the {@link Limits}; the delivery is not settled then
   */
  SettleOutcome repeat(Due due, T payload);

  /**
   * Extends or shortens the lease, which then ends this long after the store receives the call. The
   * call is no settlement. The outcome {@link SettleOutcome#CANCELLED} reports that the message was
   * cancelled.
   *
   * @param lease 1 millisecond to {@link Limits#DAYS}
   */
  SettleOutcome extend(Duration lease);
}
