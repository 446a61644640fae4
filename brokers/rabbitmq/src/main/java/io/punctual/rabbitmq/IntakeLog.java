package io.punctual.rabbitmq;

import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log lines of an intake about messages. Thread-safe. */
final class IntakeLog {
  private static final Logger log = LoggerFactory.getLogger(IntakeLog.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final String intake;
  private final String store;
  private final IntakeTopology topology;
  private final LogThrottle failures = new LogThrottle(1, INTERVAL);
  private final LogThrottle moves = new LogThrottle(1, INTERVAL);
  private final LogThrottle oddMessages = new LogThrottle(1, INTERVAL);

  /** Creates the log of an intake; {@code store} is the name of the Punctual queue. */
  IntakeLog(String intake, String store, IntakeTopology topology) {
    this.intake = intake;
    this.store = store;
    this.topology = topology;
  }

  void checkDelay(Arrival arrival) {
    String fault = arrival.delay().fault();
    if (fault != null && oddMessages.tryAcquire()) {
      log.warn(
          "{}: the header x-delay of message '{}' {} ({} more)",
          intake,
          arrival.id(),
          fault,
          oddMessages.takeSkipped());
    }
  }

  void sameId(Arrival arrival) {
    if (oddMessages.tryAcquire()) {
      log.warn(
          "{}: two messages with different content have the message-id '{}'; queue '{}' stores the"
              + " second message under a longer id ({} more). If message-ids are not unique, turn"
              + " their use off",
          intake,
          arrival.id(),
          store,
          oddMessages.takeSkipped());
    }
  }

  void duplicate(Arrival arrival) {
    log.debug(
        "{}: message '{}' is in queue '{}' already{}",
        intake,
        arrival.id(),
        store,
        arrival.isRedelivered() ? ", and RabbitMQ delivered it again" : "");
  }

  void notStored(Arrival arrival, Throwable cause) {
    if (failures.tryAcquire()) {
      log.warn(
          "{}: message '{}' can't be stored in queue '{}' ({} more); it stays unacked in RabbitMQ,"
              + " and the intake tries again",
          intake,
          arrival.id(),
          store,
          failures.takeSkipped(),
          cause);
    }
  }

  void notMoved(Arrival arrival, Throwable reason, Throwable cause) {
    if (moves.tryAcquire()) {
      log.warn(
          "{}: the store can't hold message '{}' ({}), and it can't be moved to queue '{}' of"
              + " RabbitMQ ({} more); it stays unacked, and the intake tries again. If the queue is"
              + " missing, declare it",
          intake,
          arrival.id(),
          reason.getMessage(),
          topology.refusedQueue(),
          moves.takeSkipped(),
          cause);
    }
  }

  void noRefusedQueue(Throwable cause) {
    if (moves.tryAcquire()) {
      log.warn(
          "{}: queue '{}' of RabbitMQ is missing and can't be declared; declare it, so that the"
              + " intake can move messages there that the store can never hold",
          intake,
          topology.refusedQueue(),
          cause);
    }
  }

  void refused(Arrival arrival, Throwable reason) {
    log.error(
        "{}: the store can't hold message '{}', so it is in queue '{}' of RabbitMQ: {}",
        intake,
        arrival.id(),
        topology.refusedQueue(),
        reason.getMessage());
  }

  void storeClosed() {
    log.error(
        "{}: the client of the store is closed, so the intake ends; unacked messages stay in queue"
            + " '{}' of RabbitMQ",
        intake,
        topology.queue());
  }
}
