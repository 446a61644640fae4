package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A message in the hands of one consumer, under a lease. It is settled once: the first of ack,
 * retry, bury and release counts, and a later one throws {@link IllegalStateException}.
 *
 * <p>Blocking settlements wait until the store has confirmed; the {@code Async} forms complete
 * then. Both end in the exceptions of {@link TimedQueue}, such as {@link OutcomeUnknownException},
 * when the store stays away; the message then comes back when its lease has run out.
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

  /** Returns the payload. */
  T payload();

  /** Returns the headers; unmodifiable. */
  Map<String, String> headers();

  /** Returns which delivery of the message this is: 1 for the first. */
  int attempt();

  /** Returns when the message was due, by the store's clock. */
  Instant dueAt();

  /** Returns when it was claimed, by the store's clock, in microseconds. */
  Instant claimedAt();

  /**
   * Returns how late the message was handed over: from its due time to the claim by the store's
   * clock, plus the local time from the claim's answer to the handler. Never negative.
   */
  Duration lateness();

  /** Returns the failures of earlier attempts, the latest last, five at most; unmodifiable. */
  List<Failure> failures();

  /**
   * Returns the fencing token of the lease: greater than that of every earlier lease in the same
   * queue with one partition, and of every earlier lease of this message in any. A resource that
   * keeps the highest token it has seen can refuse whoever comes with a lower one.
   */
  long fencingToken();

  /**
   * Returns how long the lease is certain to last if nobody extends it; zero once it is not. A
   * worker extends it by itself while the handler runs.
   */
  Duration remaining();

  /**
   * Returns whether the lease is lost: its time passed without a confirmed extension, or the store
   * refused one. Somebody else may be working on the message now.
   */
  boolean isLost();

  /** Returns whether the delivery was settled, by hand or by the worker. */
  boolean isSettled();

  /** Done: removes the message. */
  SettleOutcome ack();

  /** As {@link #ack()}, without waiting. */
  CompletionStage<SettleOutcome> ackAsync();

  /**
   * Failed: records the failure as "by hand", and makes the message due again after this delay.
   *
   * <p>The attempt counts, even if the delay is only a snooze: once the attempts have reached the
   * limit of the retry policy, five by default, the next exception of the handler makes the message
   * a dead letter. To postpone a message without counting, schedule it again under another id, and
   * then ack it.
   */
  SettleOutcome retry(Duration delay);

  /** As {@link #retry(Duration)}, without waiting. */
  CompletionStage<SettleOutcome> retryAsync(Duration delay);

  /** Given up: the message becomes a dead letter with this reason. */
  SettleOutcome bury(String reason);

  /** As {@link #bury(String)}, without waiting. */
  CompletionStage<SettleOutcome> buryAsync(String reason);

  /** Gives the message back for anyone, at its old due time, this attempt not counted. */
  SettleOutcome release();

  /** As {@link #release()}, without waiting. */
  CompletionStage<SettleOutcome> releaseAsync();

  /**
   * Holds on: the lease now ends this long from the store's now. Not a settlement.
   *
   * @param lease 1 millisecond to {@link Limits#DAYS}
   */
  SettleOutcome extend(Duration lease);

  /** As {@link #extend(Duration)}, without waiting. */
  CompletionStage<SettleOutcome> extendAsync(Duration lease);
}
