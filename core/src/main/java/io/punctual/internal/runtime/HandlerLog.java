package io.punctual.internal.runtime;

import io.punctual.NotConfirmedException;
import io.punctual.RecurrenceException;
import io.punctual.ReportedException;
import io.punctual.deadletter.DeadReason;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.FailureLog;
import java.time.Duration;
import java.time.Instant;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs failures of a queue's messages and handlers to {@code io.punctual.handler}. Failed attempts,
 * dead letters, lost leases and failed settlements each have a throttle of their own, so that a
 * storm of retries hides no dead letter. Thread-safe.
 */
public final class HandlerLog {
  private static final Logger log = Logs.of("io.punctual.handler");

  private final String queue;
  private final Environment env;
  private final LogThrottle retries;
  private final LogThrottle deadLetters;
  private final LogThrottle lostLeases;
  private final LogThrottle failedSettlements;
  private final LogThrottle unconfirmedSettlements;
  private final LogThrottle recurrences;
  private final LogThrottle suspects;

  public HandlerLog(String queue, Environment env) {
    this.queue = queue;
    this.env = env;
    this.retries = throttle(n -> summarize(n, "failed attempts"));
    this.deadLetters =
        throttle(n -> log.error("Queue '{}': {} more dead letters in the last minute", queue, n));
    this.lostLeases = throttle(n -> summarize(n, "lost leases"));
    this.failedSettlements = throttle(n -> summarize(n, "failed settlements"));
    this.unconfirmedSettlements = throttle(n -> summarize(n, "unconfirmed settlements"));
    this.suspects = throttle(n -> summarize(n, "messages received alone"));
    this.recurrences = throttle(n -> summarize(n, "messages with an unknown recurrence"));
  }

  private LogThrottle throttle(IntConsumer summary) {
    return new LogThrottle(env.timer(), summary);
  }

  private void summarize(int skipped, String what) {
    log.warn("Queue '{}': {} more {} in the last minute", queue, skipped, what);
  }

  /** Logs that an attempt failed; the next attempt is due at {@code next} by the store's clock. */
  public void retry(String id, int attempt, Instant next, Throwable failure) {
    boolean isReported = failure instanceof ReportedException;
    String line =
        "Attempt {} of message '{}' in queue '{}' failed; the next attempt is due at {}"
            + (isReported ? ": {}" : "");
    Object why = isReported ? FailureLog.cut(failure.toString()) : failure;
    Object[] arguments = {attempt, id, queue, next, why};
    if (retries.tryAcquire()) {
      log.warn(line, arguments);
    } else {
      log.debug(line, arguments);
    }
  }

  /** A reported failure has no stack trace, and its text, which others write, is in the line. */
  private static @Nullable Throwable traced(@Nullable Throwable failure) {
    return failure instanceof ReportedException ? null : failure;
  }

  /**
   * Logs that a message becomes a dead letter; {@code failure} is the exception of its last
   * attempt, or null if there is none.
   */
  public void deadLetter(
      String id, int attempt, DeadReason reason, String detail, @Nullable Throwable failure) {
    String line = "Message '{}' in queue '{}' becomes a dead letter after attempt {}: {}: {}";
    Object[] arguments = {id, queue, attempt, reason, FailureLog.cut(detail), traced(failure)};
    if (deadLetters.tryAcquire()) {
      log.error(line, arguments);
    } else {
      log.debug(line, arguments);
    }
  }

  /**
   * Logs that an occurrence of a recurring message has failed, and that the next occurrence
   * follows.
   */
  public void occurrenceFailed(
      String id,
      int attempt,
      Instant occurrence,
      DeadReason reason,
      String detail,
      Instant next,
      @Nullable Throwable failure) {
    String line =
        "The occurrence {} of message '{}' in queue '{}' failed in attempt {}: {}: {}; the next"
            + " occurrence is due at {}";
    Object[] arguments = {
      occurrence, id, queue, attempt, reason, FailureLog.cut(detail), next, traced(failure)
    };
    if (deadLetters.tryAcquire()) {
      log.error(line, arguments);
    } else {
      log.debug(line, arguments);
    }
  }

  /** Logs that this process can't compute the next occurrence of a message. */
  public void recurrenceUnknown(String id, Duration delay, RecurrenceException failure) {
    if (recurrences.tryAcquire()) {
      log.error(
          "Message '{}' stays in queue '{}', and is due again after {}, because this process can't"
              + " compute its next occurrence: {}",
          id,
          queue,
          delay,
          failure.getMessage());
    }
  }

  /** Logs that a failed message becomes a dead letter, because its recurrence is broken. */
  public void recurrenceEnded(String id, RecurrenceException failure) {
    if (recurrences.tryAcquire()) {
      log.error(
          "Message '{}' in queue '{}' is a dead letter, because its next occurrence can't"
              + " be computed; redrive it when the cause is fixed: {}",
          id,
          queue,
          failure.getMessage());
    }
  }

  /** Logs that the dead handler threw; the client gives the message up nevertheless. */
  public void deadHandlerThrew(String id, Throwable failure) {
    String line = "The dead handler of message '{}' in queue '{}' threw; the message is buried";
    Object[] arguments = {id, queue, failure};
    if (deadLetters.tryAcquire()) {
      log.error(line, arguments);
    } else {
      log.debug(line, arguments);
    }
  }

  /**
   * Logs that the executor refused a call of the dead handler for a manual claim, and that the
   * messages are retried after {@code delay}.
   */
  public void deadHandlerRefused(Duration delay, Throwable failure) {
    if (deadLetters.tryAcquire()) {
      log.warn(
          "The dead handler of queue '{}' has no thread; its messages are retried after {}. Use a"
              + " callbackExecutor that accepts more tasks, or a faster dead handler",
          queue,
          delay,
          failure);
    }
  }

  /** Logs that a message is received alone, because its last attempts ended without a result. */
  public void alone(String id, int attempt, int unsettled) {
    if (suspects.tryAcquire()) {
      log.warn(
          "Attempt {} of message '{}' in queue '{}': {} earlier attempts ended without a result, as"
              + " if their process had ended. This process receives one such message at a time",
          new Object[] {attempt, id, queue, unsettled});
    }
  }

  /** Logs that a delivery lost its lease before it was settled. */
  public void leaseLost(String id, int attempt) {
    if (lostLeases.tryAcquire()) {
      log.warn(
          "The lease of message '{}' in queue '{}' was lost in attempt {};"
              + " the message is delivered again, possibly while this attempt is still running",
          id,
          queue,
          attempt);
    }
  }

  /** Logs that the callback of {@link io.punctual.Delivery#onLost} threw. */
  public void onLostThrew(String id, Throwable failure) {
    if (lostLeases.tryAcquire()) {
      log.warn(
          "The onLost callback of message '{}' in queue '{}' threw; fix the callback",
          id,
          queue,
          failure);
    }
  }

  /** Logs that the store refused a settlement because the lease is lost. */
  public void refused(String settlement, String id, int attempt) {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "The {} of message '{}' in queue '{}' was refused: attempt {} has lost its lease, because"
              + " the lease expired, or the message was replaced or purged",
          settlement,
          id,
          queue,
          attempt);
    }
  }

  /** Logs that the client failed before the handler could receive the messages of a call. */
  public void intakeFailed(String id, Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.error(
          "Message '{}' of queue '{}' can't be given to its handler; the messages of the"
              + " same call are delivered again when their leases expire",
          id,
          queue,
          failure);
    }
  }

  /** Logs that a settlement failed, or was stored without the required confirmation. */
  public void unsettled(String settlement, String id, Throwable failure) {
    if (failure instanceof NotConfirmedException) {
      if (unconfirmedSettlements.tryAcquire()) {
        log.warn("{}", failure.getMessage());
      }
    } else if (failedSettlements.tryAcquire()) {
      log.warn(
          "The {} of message '{}' in queue '{}' failed; unless it was done, the message is"
              + " delivered again when its lease expires: {}",
          settlement,
          id,
          queue,
          FailureLog.describe(failure));
    }
  }

  /** Logs that the store may have executed a take whose reply is lost. */
  public void takeUnanswered() {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "A take from queue '{}' got no answer, and the store can't repeat the reply, because it"
              + " no longer knows the client's session, or refuses the call; messages that the"
              + " store had taken out are lost",
          queue);
    }
  }

  /** Logs that the user's executor did not run the reply of a manual claim in time. */
  public void callbackNotRun() {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "callbackExecutor did not run the reply of a claim from queue '{}' in time; the messages"
              + " go back to the queue",
          queue);
    }
  }

  /** Logs that the user's executor threw after the end of a manual claim. */
  public void callbackThrew(Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.warn("callbackExecutor threw after the end of a claim from queue '{}'", queue, failure);
    }
  }

  /** Logs that a taken message could not be put back, and that the client tries again. */
  public void putBackDelayed(String id, Duration delay, Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "Message '{}' was taken from queue '{}', but no caller received it. Putting it back"
              + " failed; the client tries again after {}: {}",
          id,
          queue,
          delay,
          FailureLog.describe(failure));
    }
  }

  /** Logs that a taken message could not be put back, and that the client gives up. */
  public void notPutBack(String id, Throwable failure) {
    if (deadLetters.tryAcquire()) {
      log.error(
          "Message '{}' was taken from queue '{}', but no caller received it, and it could not be"
              + " put back; unless it was stored, it is lost. Schedule it again: {}",
          id,
          queue,
          FailureLog.describe(failure));
    }
  }

  /** Logs that the next occurrence of a taken message is not stored yet. */
  public void nextDelayed(String id, Duration delay, Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "The next occurrence of message '{}', which was taken from queue '{}', could not be"
              + " stored; the client tries again after {}: {}",
          id,
          queue,
          delay,
          FailureLog.describe(failure));
    }
  }

  /** Logs that the next occurrence of a taken message is not stored. */
  public void nextNotScheduled(String id, Throwable failure) {
    if (deadLetters.tryAcquire()) {
      log.error(
          "The next occurrence of message '{}', which was taken from queue '{}', could not be"
              + " stored, so the message may not be delivered again. Schedule it again: {}",
          id,
          queue,
          FailureLog.describe(failure));
    }
  }

  /** Logs that the id of a taken message is not remembered yet. */
  public void memoryDelayed(String id, Duration delay, Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "The id of message '{}', which was taken from queue '{}', could not be remembered; the"
              + " client tries again after {}: {}",
          id,
          queue,
          delay,
          FailureLog.describe(failure));
    }
  }

  /** Logs that the id of a taken message is not remembered. */
  public void notRemembered(String id, Throwable failure) {
    if (failedSettlements.tryAcquire()) {
      log.warn(
          "The id of message '{}', which was taken from queue '{}', could not be remembered; the"
              + " next schedule of this id is stored and runs: {}",
          id,
          queue,
          FailureLog.describe(failure));
    }
  }

  /** Logs that a handler ignores the interrupt at its time-out. */
  public void ignoresTimeout(String id, Duration timeout, Thread handler) {
    Throwable trace = new Throwable("Stack of the handler");
    trace.setStackTrace(handler.getStackTrace());
    log.warn(
        "The handler of message '{}' in queue '{}' ignores its interrupt and has run for twice its"
            + " time-out of {}. Its lease is no longer renewed, so another worker will receive the"
            + " message; its permit stays in use until the handler returns",
        id,
        queue,
        timeout,
        trace);
  }

  /** Logs that the executor did not start handlers while their leases lasted. */
  public void neverStarted(int messages) {
    log.warn(
        "The executor of queue '{}' did not start the handlers of {} messages while their leases"
            + " lasted; the messages were given back, and these attempts do not count. Use an"
            + " executor that drops no tasks and runs as many at once as the worker's concurrency",
        queue,
        messages);
  }

  /** Logs that the executor rejects handlers. */
  public void executorRefuses(Throwable failure) {
    log.warn(
        "The executor of queue '{}' rejects handlers; the worker claims nothing for a second."
            + " Use an executor that accepts as many tasks as the worker's concurrency",
        queue,
        failure);
  }

  /** Logs that the retry policy threw, or returned a delay out of range. */
  public void policyFailed(Duration delay, Throwable failure) {
    if (retries.tryAcquire()) {
      log.warn(
          "The retry policy of queue '{}' failed; the message is retried after {}."
              + " Fix the policy",
          queue,
          delay,
          failure);
    }
  }

  /** Logs that the user and the worker settled a delivery at the same time. */
  public void settledTwice(String id) {
    log.debug("Message '{}' in queue '{}' was settled while its handler ended", id, queue);
  }
}
