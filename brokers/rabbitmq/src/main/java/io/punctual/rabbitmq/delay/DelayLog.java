package io.punctual.rabbitmq.delay;

import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the failures of a queue's messages and connections: of a frequent kind at most ten lines a
 * minute, and the number of lines that were left out. Thread-safe.
 */
final class DelayLog {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.rabbitmq.delay");

  private final String queue;
  private final Throttle retries = new Throttle("failed attempts");
  private final Throttle deadLetters = new Throttle("dead letters");
  private final Throttle unsettled = new Throttle("failed settlements");
  private final Throttle connection = new Throttle("failures of the connection");

  DelayLog(String queue) {
    this.queue = queue;
  }

  /** Logs that an attempt failed and that the message is retried after a delay. */
  void retry(String id, int attempt, long delayMillis, Throwable failure) {
    if (retries.tryAcquire(queue)) {
      write(
          () ->
              log.warn(
                  "Attempt {} of message '{}' in queue '{}' failed; the next attempt is due in {} ms",
                  attempt,
                  id,
                  queue,
                  delayMillis,
                  failure));
    }
  }

  /**
   * Logs that an attempt failed, and that the worker neither retries nor buries the message,
   * because the delivery is settled, its channel is closed, or the grace period of a close has
   * passed.
   */
  void failedWithoutRetry(String id, int attempt, boolean settled, Throwable failure) {
    if (retries.tryAcquire(queue)) {
      write(
          () ->
              log.warn(
                  "Attempt {} of message '{}' in queue '{}' failed after {}",
                  attempt,
                  id,
                  queue,
                  settled
                      ? "the handler had settled it; the message is not retried"
                      : "its channel or the worker was closed; the broker delivers the message again",
                  failure));
    }
  }

  /** Logs that a message becomes a dead letter. */
  void dead(String id, int attempt, String detail, @Nullable Throwable failure) {
    if (deadLetters.tryAcquire(queue)) {
      write(
          () ->
              log.error(
                  "Message '{}' in queue '{}' becomes a dead letter after attempt {}: {}",
                  id,
                  queue,
                  attempt,
                  detail,
                  failure));
    }
  }

  /** Logs that the channel closed before the ack of a processed message. */
  void ackLost(String id) {
    if (unsettled.tryAcquire(queue)) {
      log.warn(
          "The channel closed before the ack of message '{}' in queue '{}'; the handler has"
              + " processed the message, and the broker delivers it again",
          id,
          queue);
    }
  }

  /** Logs that a retry or a dead letter was not confirmed, and that the worker tries again. */
  void notForwarded(String id, RuntimeException failure) {
    if (unsettled.tryAcquire(queue)) {
      log.warn(
          "Message '{}' of queue '{}' can't be published for its retry or as a dead letter; the"
              + " worker tries again until the broker confirms it: {}",
          id,
          queue,
          failure.getMessage());
    }
  }

  /** Logs that a message can't be settled, and that the broker buries it. */
  void notSettled(@Nullable String id, RuntimeException failure) {
    if (unsettled.tryAcquire(queue)) {
      write(
          () ->
              log.error(
                  "Message '{}' of queue '{}' can't be retried or buried by the worker, so the broker moves"
                      + " it to the dead-letter queue as it is",
                  id,
                  queue,
                  failure));
    }
  }

  /** Logs that a message can't be settled, and that it goes back to its queue. */
  void givenBack(@Nullable String id, Throwable failure) {
    if (unsettled.tryAcquire(queue)) {
      write(
          () ->
              log.error(
                  "Message '{}' of queue '{}' can't be settled; the broker delivers it again",
                  id,
                  queue,
                  failure));
    }
  }

  /** Logs that the retry policy threw, or returned a delay out of range. */
  void policyFailed(long delayMillis, Throwable failure) {
    if (retries.tryAcquire(queue)) {
      write(
          () ->
              log.warn(
                  "The retry policy of queue '{}' failed or returned a delay out of range; the message is"
                      + " retried after {} ms. Fix the policy",
                  queue,
                  delayMillis,
                  failure));
    }
  }

  /** Logs that the consumer ended, and that the worker starts it again. */
  void consumerEnded(String reason) {
    if (connection.tryAcquire(queue)) {
      log.warn("The consumer of queue '{}' ended and is started again: {}", queue, reason);
    }
  }

  /** Logs why the messages of the queue wait in {@link Levels}. */
  void levels(String reason) {
    log.info("The messages of queue '{}' wait in levels, because {}", queue, reason);
  }

  /** Logs that the consumer of the {@link Parker} ended, and that the parker starts it again. */
  void parkerEnded() {
    if (connection.tryAcquire(queue)) {
      log.warn(
          "The connection that moves due messages to queue '{}' ended and is opened again;"
              + " meanwhile messages may be late",
          queue);
    }
  }

  /** Logs that the {@link Parker} can't consume. */
  void notParking(Throwable failure) {
    if (connection.tryAcquire(queue)) {
      log.warn(
          "Due messages are not moved to queue '{}'; the client tries again every second: {}",
          queue,
          failure.getMessage());
    }
  }

  /** Logs that the {@link Parker} could not return a message to the broker. */
  void notParked(RuntimeException failure) {
    if (unsettled.tryAcquire(queue)) {
      log.warn(
          "A message for queue '{}' was not returned to the broker, which delivers it again: {}",
          queue,
          failure.getMessage());
    }
  }

  /** Logs that handlers still run although the close of the worker has interrupted them. */
  void handlersLeft(int running) {
    log.warn(
        "{} handlers of queue '{}' ignore the interrupt at the close; the broker delivers their"
            + " messages again",
        running,
        queue);
  }

  /**
   * Writes a line with an exception of the user. Its text may be impossible to print, which must
   * not keep the message from being settled.
   */
  private void write(Runnable line) {
    try {
      line.run();
    } catch (Throwable e) {
      log.warn("A failure in queue '{}' can't be printed: {}", queue, e.getClass().getName());
    }
  }

  /** Allows ten lines a minute. */
  private static final class Throttle {
    private final LogThrottle lines = new LogThrottle(10, Duration.ofMinutes(1));
    private final String what;

    Throttle(String what) {
      this.what = what;
    }

    boolean tryAcquire(String queue) {
      boolean acquired = lines.tryAcquire();
      int skipped = acquired ? lines.takeSkipped() : 0;
      if (skipped > 0) {
        log.warn("Queue '{}': {} more {} before this line", queue, skipped, what);
      }
      return acquired;
    }
  }
}
