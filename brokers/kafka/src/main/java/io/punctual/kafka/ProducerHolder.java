package io.punctual.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer of a bridge. A producer with a fatal error is replaced, because it can't send any
 * more. Thread-safe.
 */
final class ProducerHolder {
  private static final Logger log = LoggerFactory.getLogger(ProducerHolder.class);

  /**
   * How long a close of the producer may take. The worker has already waited for confirmations, so
   * the time is short.
   */
  private static final Duration CLOSE_TIME = Duration.ofSeconds(1);

  private final Map<String, Object> settings;

  @GuardedBy("this") private @Nullable Producer<byte[], byte[]> present;

  @GuardedBy("this") private boolean closed;

  /**
   * Creates the producer.
   *
   * @throws IllegalArgumentException if the settings are wrong
   */
  ProducerHolder(Map<String, Object> settings) {
    this.settings = settings;
    try {
      present = new KafkaProducer<>(settings);
    } catch (KafkaException e) {
      throw new IllegalArgumentException("No producer with these properties: " + reason(e), e);
    }
  }

  private static String reason(KafkaException failure) {
    Throwable cause = failure.getCause();
    return String.valueOf(cause == null ? failure.getMessage() : cause.getMessage());
  }

  /** Returns the producer, or null if it can't be created now, or the bridge is closed. */
  synchronized @Nullable Producer<byte[], byte[]> get() {
    if (present == null && !closed) {
      try {
        present = new KafkaProducer<>(settings);
      } catch (KafkaException e) {
        log.warn("The producer can't be created; the next batch tries again: {}", reason(e));
      }
    }
    return present;
  }

  /**
   * Closes a broken producer, unless it was replaced already. The next {@link #get} creates a new
   * producer.
   */
  void replace(@Nullable Producer<byte[], byte[]> broken) {
    synchronized (this) {
      if (broken == null || present != broken) {
        return;
      }
      present = null;
    }
    broken.close(Duration.ZERO);
  }

  void close() {
    Producer<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = present;
      present = null;
    }
    if (last != null) {
      last.close(CLOSE_TIME);
    }
  }
}
