package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.punctual.Delivery;
import io.punctual.internal.message.TraceHeaders;
import io.punctual.rabbitmq.internal.Outgoing;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a {@link RabbitBridge}: exchange and routing key are fixed, or in headers of the
 * message.
 *
 * @param exchange the exchange of messages without the exchange header, or null if such messages
 *     can't be routed
 * @param template properties of each message
 */
record BridgeRoutes(
    @Nullable String exchange,
    @Nullable String exchangeHeader,
    String routingKey,
    @Nullable String routingKeyHeader,
    AMQP.BasicProperties template,
    boolean mandatory)
    implements Routes {
  /** The maximum length of AMQP's type {@code shortstr}, in bytes. */
  static final int SHORT_STRING = 255;

  @Override
  public Outgoing outgoing(Delivery<byte[]> delivery) {
    String to = header(delivery, exchangeHeader, exchange);
    if (to == null) {
      throw new IllegalArgumentException(
          "Message '"
              + delivery.id()
              + "' of queue '"
              + delivery.queue()
              + "' has no header '"
              + exchangeHeader
              + "' that names its exchange, and the bridge has no exchange for such messages");
    }
    String key = header(delivery, routingKeyHeader, routingKey);
    return new Outgoing(
        delivery.id(),
        checkShort("exchange", to),
        checkShort("routing key", key == null ? "" : key),
        properties(delivery),
        delivery.payload(),
        mandatory);
  }

  private static @Nullable String header(
      Delivery<byte[]> delivery, @Nullable String name, @Nullable String otherwise) {
    String value = name == null ? null : delivery.headers().get(name);
    return value == null ? otherwise : value;
  }

  private AMQP.BasicProperties properties(Delivery<byte[]> delivery) {
    Map<String, Object> headers = new HashMap<>();
    if (template.getHeaders() != null) {
      headers.putAll(template.getHeaders());
    }
    delivery
        .headers()
        .forEach(
            (name, value) -> {
              if (!TraceHeaders.includes(name)) {
                headers.put(checkShort("header", name), value);
              }
            });
    if (exchangeHeader != null) {
      headers.remove(exchangeHeader);
    }
    if (routingKeyHeader != null) {
      headers.remove(routingKeyHeader);
    }
    AMQP.BasicProperties.Builder properties = template.builder().headers(mark(headers, delivery));
    // The longest ids do not fit into the property message-id. The header also contains the id.
    return bytes(delivery.id()) <= SHORT_STRING
        ? properties.messageId(delivery.id()).build()
        : properties.build();
  }

  /** Adds the id and the attempt of the delivery to the headers. */
  static Map<String, Object> mark(Map<String, Object> headers, Delivery<byte[]> delivery) {
    headers.put(RabbitBridge.ID_HEADER, delivery.id());
    headers.put(RabbitBridge.ATTEMPT_HEADER, delivery.attempt());
    return headers;
  }

  private static String checkShort(String what, String value) {
    if (value.length() > SHORT_STRING / 3 && bytes(value) > SHORT_STRING) {
      throw new IllegalArgumentException(
          "The " + what + " has more than " + SHORT_STRING + " bytes of UTF-8: '" + value + "'");
    }
    return value;
  }

  private static int bytes(String value) {
    return value.getBytes(StandardCharsets.UTF_8).length;
  }
}
