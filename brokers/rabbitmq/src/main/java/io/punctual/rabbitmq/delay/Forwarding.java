package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import io.punctual.deadletter.DeadReason;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Makes copies of delivered messages, for a retry or for the dead-letter queue. A copy keeps the
 * body, the publisher's headers and most properties. It loses properties that would change its way
 * through the levels: an expiration would end the delay early, a priority would overtake other
 * messages, and a user id of a different user would be refused.
 */
final class Forwarding {
  private static final int PERSISTENT = 2;

  private final String queue;
  private final String deadLetters;

  Forwarding(String queue, String deadLetters) {
    this.queue = queue;
    this.deadLetters = deadLetters;
  }

  String queue() {
    return queue;
  }

  /** Returns a copy that is due after a delay; {@code attempts} counts the failed attempts. */
  DelayedMessage retry(Delivery delivery, int attempts, long delayMillis) {
    Map<String, Object> headers = Headers.kept(delivery.getProperties().getHeaders());
    headers.put(Headers.ATTEMPTS, attempts);
    headers.put(Headers.DUE_AT, System.currentTimeMillis() + delayMillis);
    long dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis);
    return copy(delivery, queue, dueNanos, headers);
  }

  /**
   * Returns a copy for the dead-letter queue. The copy lacks the header {@link Headers#ATTEMPTS},
   * so a message that is moved back starts from the first attempt.
   */
  DelayedMessage dead(Delivery delivery, int attempts, DeadReason reason, String detail) {
    Map<String, Object> headers = Headers.kept(delivery.getProperties().getHeaders());
    headers.put(Headers.DEAD_REASON, reason.name());
    headers.put(Headers.DEAD_DETAIL, Failures.cut(detail));
    headers.put(Headers.DEAD_ATTEMPTS, attempts);
    headers.put(Headers.DEAD_AT, System.currentTimeMillis());
    return copy(delivery, deadLetters, System.nanoTime(), headers);
  }

  private static DelayedMessage copy(
      Delivery delivery, String queue, long dueNanos, Map<String, Object> headers) {
    BasicProperties old = delivery.getProperties();
    String id = old.getMessageId() == null ? UUID.randomUUID().toString() : old.getMessageId();
    BasicProperties properties =
        old.builder()
            .messageId(id)
            .headers(headers)
            .deliveryMode(PERSISTENT)
            .expiration(null)
            .priority(null)
            .userId(null)
            .build();
    return new DelayedMessage(id, queue, dueNanos, properties, delivery.getBody());
  }
}
