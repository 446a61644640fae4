package io.punctual.internal.delivery;

import io.punctual.Due;
import io.punctual.Failure;
import io.punctual.event.Event;
import io.punctual.internal.message.DeliveryToken;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.RememberHeader;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settlements of a delivery as operations of the store, with their events. An operation of a
 * recurring message keeps the planned time of the occurrence until the occurrence ends. Immutable.
 *
 * @param occurrence the occurrence of a recurring message, or null if the message is not recurring
 */
record Settlements(
    String queue,
    Reply.Leased message,
    long token,
    FailureLog failures,
    @Nullable Occurrence occurrence) {

  /**
   * A settlement, the event that reports it, and its line in the log.
   *
   * @param operation the settlement as an operation of the store
   * @param done creates the event of a settlement that took effect
   * @param line logs the settlement; does nothing for a settlement that is no failure
   */
  record Step(Operation.Settlement operation, Supplier<Event> done, Consumer<HandlerLog> line) {
    Step(Operation.Settlement operation, Supplier<Event> done) {
      this(operation, done, log -> {});
    }
  }

  private String id() {
    return message.id();
  }

  private int attempt() {
    return message.attempt();
  }

  /** Returns the token with which a different process can settle the delivery. */
  DeliveryToken deliveryToken() {
    boolean hasRules = occurrence != null || rememberMillis() > 0;
    return new DeliveryToken(token, attempt(), hasRules, message.history().length > 0);
  }

  private long rememberMillis() {
    return RememberHeader.millis(message.content().headers());
  }

  /**
   * Returns the step that removes a processed message, or schedules its next occurrence.
   *
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed
   */
  Step processed(Instant now) {
    Optional<Instant> next = occurrence == null ? Optional.empty() : occurrence.next(now);
    return next.isPresent() ? nextOccurrence(next.get()) : removed();
  }

  Step removed() {
    return new Step(
        new Operation.Ack(id(), token, rememberMillis()),
        () -> new Event.MessageAcked(queue, id(), attempt()));
  }

  private Step nextOccurrence(Instant next) {
    return repeat(Due.at(next), null);
  }

  /**
   * Returns a repeat.
   *
   * @param content the new content, or null for the current content
   */
  Step repeat(Due due, @Nullable Content content) {
    Content stored = content == null && occurrence != null ? occurrence.changedForNext() : content;
    return new Step(
        new Operation.Repeat(id(), token, DueTime.of(due), stored),
        () -> new Event.MessageRepeated(queue, id(), attempt(), due));
  }

  /**
   * Returns the step that schedules the next occurrence after the current occurrence is given up.
   */
  private Step failedOccurrence(Death death, Instant next) {
    Instant failed = occurrence == null ? next : occurrence.time();
    return new Step(
        nextOccurrence(next).operation(),
        () ->
            new Event.OccurrenceFailed(
                queue,
                id(),
                failed,
                attempt(),
                death.reason(),
                death.detail(),
                death.failure(),
                next),
        log ->
            log.occurrenceFailed(
                id(), attempt(), failed, death.reason(), death.detail(), next, death.failure()));
  }

  /**
   * Returns the step that gives a message up: it becomes a dead letter, or its next occurrence
   * follows if its recurrence continues after this death.
   *
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed
   */
  Step giveUp(Death death, Instant now) {
    Optional<Instant> next = nextAfter(death, now);
    return next.isPresent() ? failedOccurrence(death, next.get()) : bury(death, now);
  }

  /**
   * Returns the next occurrence if the recurrence continues after this death, or empty if the
   * message becomes a dead letter. An expired message has no next occurrence, and an explicit
   * burial ends the recurrence.
   *
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed
   */
  private Optional<Instant> nextAfter(Death death, Instant now) {
    if (occurrence == null) {
      return Optional.empty();
    }
    boolean continues =
        switch (death.reason()) {
          case FAILED, UNDECODABLE, WORKERS_DIED -> !occurrence.recurrence().stopsOnFailure();
          case EXPIRED, BY_CALLER, UNREADABLE -> false;
        };
    return continues ? occurrence.next(now) : Optional.empty();
  }

  Step retry(Duration delay, String error, @Nullable Throwable failure, Instant now) {
    DueTime due = new DueTime(true, DueTime.delayMillis(delay));
    return new Step(
        new Operation.Retry(id(), token, due, historyWith(error, failure, now).toBytes()),
        () -> new Event.MessageRetried(queue, id(), attempt(), delay, failure),
        log -> {
          if (failure != null) {
            log.retry(id(), attempt(), now.plus(delay), failure);
          }
        });
  }

  Step bury(Death death, Instant now) {
    FailureLog history = history(death, now).buriedFor(death.reason(), death.detail());
    return new Step(
        new Operation.Bury(id(), token, history.toBytes()),
        () ->
            new Event.MessageBuried(
                queue, id(), attempt(), death.reason(), death.detail(), death.failure()),
        log -> log.deadLetter(id(), attempt(), death.reason(), death.detail(), death.failure()));
  }

  private FailureLog history(Death death, Instant now) {
    Throwable failure = death.failure();
    FailureLog history = failure == null ? failures : historyWith(death.detail(), failure, now);
    Throwable thrown = death.thrown();
    return thrown == null
        ? history
        : history.with(
            new Failure(attempt(), now, "the dead handler: " + FailureLog.describe(thrown)),
            failure == null ? thrown : failure);
  }

  private FailureLog historyWith(String error, @Nullable Throwable failure, Instant now) {
    FailureLog history = failures.with(new Failure(attempt(), now, error), failure);
    return occurrence == null ? history : history.ofOccurrence(occurrence.millis());
  }

  Step release() {
    return released(new Operation.Release(id(), token, null), null);
  }

  /**
   * Returns a release with a new due time. For the first deferral of an occurrence without a retry,
   * returns a repeat instead, because the content then receives the planned time of the occurrence,
   * and only a repeat can change the content. The repeat also resets the attempts, and clears the
   * history, which is empty before the first retry.
   */
  Step defer(Duration delay) {
    DueTime due = new DueTime(true, DueTime.delayMillis(delay));
    return released(
        occurrence != null && !occurrence.isRecorded()
            ? new Operation.Repeat(id(), token, due, occurrence.recorded())
            : new Operation.Release(id(), token, due),
        delay);
  }

  /**
   * Returns the step that lets a message wait before its attempt. The attempt does not count,
   * except the first time for an occurrence of a recurring message: only a retry can record the
   * planned time of the occurrence and keep the number of attempts.
   */
  Step setApart(Duration delay, Instant now) {
    return occurrence != null && !occurrence.isRecorded()
        ? retry(
            delay, "its process ended in earlier attempts; it waits for a turn alone", null, now)
        : defer(delay);
  }

  private Step released(Operation.Settlement operation, @Nullable Duration delay) {
    return new Step(operation, () -> new Event.MessageReleased(queue, id(), attempt(), delay));
  }
}
