package io.punctual.rabbitmq.delay;

import io.punctual.rabbitmq.internal.Outgoing;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers of messages on the broker: the headers of the publisher, of this package, and of
 * RabbitMQ. The headers of RabbitMQ must not be published again: brokers before 4.0.1 assume a
 * cycle, and drop the message, if {@code x-death} names a queue that the message passes again.
 */
final class Headers {
  /** The number of failed attempts; absent before the first failure. */
  static final String ATTEMPTS = "x-punctual-failed-attempts";

  /** When the message is due, in milliseconds from 1970 by the publisher's clock. */
  static final String DUE_AT = "x-punctual-due-at";

  /** In the dead-letter queue: the name of the {@link io.punctual.deadletter.DeadReason}. */
  static final String DEAD_REASON = "x-punctual-dead-reason";

  /** In the dead-letter queue: the details of the reason. */
  static final String DEAD_DETAIL = "x-punctual-dead-detail";

  /** In the dead-letter queue: the number of attempts. */
  static final String DEAD_ATTEMPTS = "x-punctual-dead-attempts";

  /** In the dead-letter queue: the time of the burial, in milliseconds from 1970. */
  static final String DEAD_AT = "x-punctual-dead-at";

  /** The broker's count of deliveries when the message left the queue in which it was parked. */
  static final String PARKED_DELIVERIES = "x-punctual-parked-deliveries";

  private static final String PREFIX = "x-punctual-";
  private static final Set<String> OWN =
      Set.of(
          ATTEMPTS,
          DUE_AT,
          DEAD_REASON,
          DEAD_DETAIL,
          DEAD_ATTEMPTS,
          DEAD_AT,
          PARKED_DELIVERIES,
          Outgoing.NUMBER_HEADER);

  /** The broker's count of deliveries that failed, in all queues on the way of the message. */
  static final String DELIVERY_COUNT = "x-delivery-count";

  /** The longest name of a header in bytes, by the AMQP protocol. */
  private static final int NAME_BYTES = 255;

  private Headers() {}

  /**
   * Rejects header names that are too long, or reserved for the protocol, RabbitMQ or this package.
   */
  static void check(Map<String, String> headers) {
    for (String name : headers.keySet()) {
      if (name.startsWith(PREFIX) || isOfBroker(name)) {
        throw new IllegalArgumentException(
            "The header '"
                + name
                + "' is reserved for RabbitMQ or for Punctual; use a different name");
      }
      int bytes = name.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > NAME_BYTES) {
        throw new IllegalArgumentException(
            "A header's name has up to " + NAME_BYTES + " bytes in AMQP; it had " + bytes);
      }
    }
  }

  private static boolean isOfBroker(String name) {
    return name.equals("CC")
        || name.equals("BCC")
        || name.equals("x-death")
        || name.equals("x-delay")
        || name.equals(DELIVERY_COUNT)
        || name.equals("x-acquired-count")
        || name.startsWith("x-first-death-")
        || name.startsWith("x-last-death-")
        || name.startsWith("x-opt-");
  }

  /** Returns the headers that a message keeps when it is published again; the map is new. */
  static Map<String, Object> kept(@Nullable Map<String, Object> headers) {
    Map<String, Object> kept = new LinkedHashMap<>();
    if (headers != null) {
      headers.forEach(
          (name, value) -> {
            if (!OWN.contains(name) && !isOfBroker(name)) {
              kept.put(name, value);
            }
          });
    }
    return kept;
  }

  /** Returns the publisher's headers as strings; a header without a value is left out. */
  static Map<String, String> texts(@Nullable Map<String, Object> headers) {
    Map<String, String> texts = new LinkedHashMap<>();
    kept(headers)
        .forEach(
            (name, value) -> {
              if (value != null) {
                texts.put(name, value.toString());
              }
            });
    return Map.copyOf(texts);
  }

  /** Returns the number of failed attempts of a message. */
  static int attempts(@Nullable Map<String, Object> headers) {
    return (int) Math.min(Integer.MAX_VALUE / 2, number(headers, ATTEMPTS).orElse(0L));
  }

  /** Returns how often a quorum queue has delivered the message without a settlement. */
  static int deliveryCount(@Nullable Map<String, Object> headers) {
    long count = number(headers, DELIVERY_COUNT).orElse(0L);
    long parked = number(headers, PARKED_DELIVERIES).orElse(0L);
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE / 4, count - parked));
  }

  /** Returns when the message is due, or empty if a different program published it. */
  static Optional<Instant> dueAt(@Nullable Map<String, Object> headers) {
    return number(headers, DUE_AT).map(Instant::ofEpochMilli);
  }

  private static Optional<Long> number(@Nullable Map<String, Object> headers, String name) {
    return headers != null && headers.get(name) instanceof Number number
        ? Optional.of(Math.max(0, number.longValue()))
        : Optional.empty();
  }
}
