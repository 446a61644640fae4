package io.punctual.kafka;

import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the start and the end of each outage of Kafka, and reminders while the outage lasts.
 * Thread-safe.
 */
final class OutageLog {
  private static final Logger log = LoggerFactory.getLogger(OutageLog.class);

  private final String queue;
  private final LogThrottle lines = new LogThrottle(1, Duration.ofSeconds(30));
  private final AtomicBoolean away = new AtomicBoolean();

  OutageLog(String queue) {
    this.queue = queue;
  }

  void note(BatchOutcome outcome) {
    if (!outcome.isAway()) {
      if (away.getAndSet(false)) {
        log.info("Kafka confirms the messages of queue '{}' again", queue);
      }
      return;
    }
    boolean begins = !away.getAndSet(true);
    boolean isDue = lines.tryAcquire();
    if (begins || isDue) {
      log.warn(
          "Kafka did not confirm {} of {} messages of queue '{}'; they return to the queue, and the"
              + " bridge sends them again. Check the brokers, the address and the credentials."
              + " Reason: {} ({} such batches since the last such line)",
          outcome.awayCount(),
          outcome.size(),
          queue,
          String.valueOf(outcome.outage()),
          lines.takeSkipped());
    }
  }
}
