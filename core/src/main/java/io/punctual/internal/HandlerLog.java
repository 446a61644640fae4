package io.punctual.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the failures of a queue's messages to the logger {@code io.punctual.handler}: retries,
 * dead letters, lost leases and failed settlements. Each kind is throttled for itself, so that a
 * storm of retries hides no dead letter. Thread-safe.
 */
final class HandlerLog {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.handler");

  private final String queue;
  private final Environment env;
  private final LogThrottle retries;
  private final LogThrottle deadLetters;
  private final LogThrottle lostLeases;
  private final LogThrottle settlements;

  HandlerLog(String queue, Environment env) {
    this.queue = queue;
    this.env = env;
    this.retries = throttle(n -> summarize(n, "failed attempts"));
    this.deadLetters =
        throttle(n -> log.error("Queue '{}': {} more dead letters in the last minute", queue, n));
    this.lostLeases = throttle(n -> summarize(n, "lost leases"));
    this.settlements = throttle(n -> summarize(n, "settlements without effect"));
  }

  private LogThrottle throttle(IntConsumer summary) {
    return new LogThrottle(env.timer(), summary);
  }

  private void summarize(int skipped, String what) {
    log.warn("Queue '{}': {} more {} in the last minute", queue, skipped, what);
  }

  /** An exception of the user may throw when it is printed; then only its class is known. */
  private void write(@Nullable Throwable failure, Runnable line) {
    try {
      line.run();
    } catch (Throwable e) {
      String type = failure == null ? "none" : failure.getClass().getName();
      log.warn("A failure in queue '{}' can't be printed; its class is {}", queue, type);
    }
  }

  /** An attempt failed, and the next attempt is due at {@code next} by the store's clock. */
  void retry(String id, int attempt, Instant next, Throwable failure) {
    if (retries.tryAcquire()) {
      write(
          failure,
          () ->
              log.warn(
                  "Attempt {} of message '{}' in queue '{}' failed; the next attempt is due at {}",
                  attempt,
                  id,
                  queue,
                  next,
                  failure));
    } else {
      write(
          failure,
          () ->
              log.debug(
                  "Attempt {} of message '{}' in queue '{}' failed", attempt, id, queue, failure));
    }
  }

  /** A message becomes a dead letter; {@code failure} is what its last attempt threw, if known. */
  void deadLetter(String id, int attempt, String reason, @Nullable Throwable failure) {
    if (deadLetters.tryAcquire()) {
      write(
          failure,
          () ->
              log.error(
                  "Message '{}' in queue '{}' becomes a dead letter after attempt {}: {}",
                  id,
                  queue,
                  attempt,
                  reason,
                  failure));
    } else {
      write(
          failure,
          () ->
              log.debug(
                  "Message '{}' in queue '{}' becomes a dead letter: {}",
                  id,
                  queue,
                  reason,
                  failure));
    }
  }

  /** A lease is lost while its message is in use. */
  void leaseLost(String id, int attempt) {
    if (lostLeases.tryAcquire()) {
      log.warn(
          "The lease of message '{}' in queue '{}' was lost in attempt {};"
              + " the message is delivered again, possibly while this attempt goes on",
          id,
          queue,
          attempt);
    }
  }

  /** The store refused a settlement because the lease is lost. */
  void refused(String settlement, String id, int attempt) {
    if (settlements.tryAcquire()) {
      log.warn(
          "The {} of message '{}' in queue '{}' was refused: the lease of attempt {} is lost,"
              + " since it ran out, or the message was replaced or purged",
          settlement,
          id,
          queue,
          attempt);
    }
  }

  /** A settlement ended without the store's confirmation. */
  void unsettled(String settlement, String id, Throwable failure) {
    if (settlements.tryAcquire()) {
      log.warn(
          "The {} of message '{}' in queue '{}' is not confirmed;"
              + " if it had no effect, the message comes back when its lease has run out: {}",
          settlement,
          id,
          queue,
          FailureLog.describe(failure));
    }
  }

  /** A handler ignores the interrupt of its time-out. */
  void ignoresTimeout(String id, Duration timeout, Thread handler) {
    Throwable trace = new Throwable("The handler is here");
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

  /** The executor has not started handlers before their leases ran out. */
  void neverStarted(int messages) {
    log.warn(
        "The executor of queue '{}' did not start the handlers of {} messages before their leases"
            + " ran out; the messages were given back. Use an executor that drops no tasks and runs"
            + " as many at once as the worker's concurrency",
        queue,
        messages);
  }

  /** The executor throws instead of accepting a handler. */
  void executorRefuses(Throwable failure) {
    log.warn(
        "The executor of queue '{}' refuses handlers; give it more room. The worker claims nothing"
            + " for a second",
        queue,
        failure);
  }

  /** The retry policy threw. */
  void policyFailed(Duration delay, Throwable failure) {
    if (retries.tryAcquire()) {
      write(
          failure,
          () ->
              log.warn(
                  "The retry policy of queue '{}' failed; the message is retried after {}",
                  queue,
                  delay,
                  failure));
    }
  }

  /** The user and the worker settled a delivery at the same time. */
  void settledTwice(String id) {
    log.debug("Message '{}' in queue '{}' was settled while its handler ended", id, queue);
  }
}
