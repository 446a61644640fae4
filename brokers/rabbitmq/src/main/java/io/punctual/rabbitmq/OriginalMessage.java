package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Delivery;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Restores a message as its publisher sent it. The delivery is from the intake queue, or from the
 * queue for messages that expired in the intake queue.
 *
 * <p>Removes the headers that the broker adds: {@code x-death}, {@code x-first-death-*}, {@code
 * x-last-death-*}, {@code x-delivery-count} and {@code x-acquired-count}. There are two reasons.
 * Brokers before 4.0.1 drop a published message whose {@code x-death} shows that it was in the same
 * queue before. And a redelivery has other headers than the first delivery, so the message would
 * not be recognised as a repetition.
 */
final class OriginalMessage {
  private static final String DEATH = "x-death";
  static final String COPIES = "CC";
  private static final Set<String> ADDED = Set.of(DEATH, "x-delivery-count", "x-acquired-count");

  private OriginalMessage() {}

  /** Returns the message; {@code intakeQueue} is the queue in which it may have expired. */
  static StoredProperties of(Delivery delivery, String intakeQueue) {
    AMQP.BasicProperties properties = delivery.getProperties();
    if (properties.getHeaders() == null) {
      return stored(delivery, properties);
    }
    Map<String, Object> headers = new TreeMap<>(properties.getHeaders());
    Map<?, ?> death = death(headers.get(DEATH), intakeQueue);
    headers.keySet().removeIf(OriginalMessage::isAdded);
    return death == null
        ? stored(delivery, with(properties, headers))
        : revived(delivery, headers, death);
  }

  /** Returns whether the broker adds a header of this name. */
  private static boolean isAdded(String name) {
    return ADDED.contains(name)
        || name.startsWith("x-first-death-")
        || name.startsWith("x-last-death-");
  }

  /** Returns the entry of {@code x-death} about the intake queue, or null if there is none. */
  private static @Nullable Map<?, ?> death(@Nullable Object deaths, String intakeQueue) {
    if (deaths instanceof List<?> list) {
      for (Object each : list) {
        if (each instanceof Map<?, ?> death && intakeQueue.equals(text(death.get("queue")))) {
          return death;
        }
      }
    }
    return null;
  }

  private static StoredProperties revived(
      Delivery delivery, Map<String, Object> headers, Map<?, ?> death) {
    String routingKey = delivery.getEnvelope().getRoutingKey();
    if (death.get("routing-keys") instanceof List<?> keys && !keys.isEmpty()) {
      routingKey = text(keys.get(0));
      if (keys.size() > 1) {
        headers.put(COPIES, keys.subList(1, keys.size()));
      }
    }
    Object expiration = death.get("original-expiration");
    AMQP.BasicProperties properties = with(delivery.getProperties(), headers);
    return new StoredProperties(
        text(death.get("exchange")),
        routingKey,
        expiration == null ? properties : properties.builder().expiration(text(expiration)).build(),
        delivery.getBody());
  }

  private static StoredProperties stored(Delivery delivery, AMQP.BasicProperties properties) {
    return new StoredProperties(
        delivery.getEnvelope().getExchange(),
        delivery.getEnvelope().getRoutingKey(),
        properties,
        delivery.getBody());
  }

  private static AMQP.BasicProperties with(
      AMQP.BasicProperties properties, Map<String, Object> headers) {
    return properties.builder().headers(headers.isEmpty() ? null : headers).build();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
