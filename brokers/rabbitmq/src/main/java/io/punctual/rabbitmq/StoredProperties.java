package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.ContentHeaderPropertyWriter;
import io.punctual.Delivery;
import io.punctual.Message;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/**
 * The form in which a Punctual queue stores a message of RabbitMQ. The payload is the body. A
 * header holds the properties in AMQP's own encoding, so that every type of every header stays the
 * same. Large properties exceed the limit of Punctual's headers; they precede the body in the
 * payload, and a header has their length.
 *
 * @param exchange the exchange to which the publisher sent the message
 */
record StoredProperties(
    String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {
  static final String EXCHANGE = "rabbitmq.exchange";
  static final String ROUTING_KEY = "rabbitmq.routing-key";
  static final String PROPERTIES = "rabbitmq.properties";
  static final String PROPERTIES_LENGTH = "rabbitmq.properties-length";

  private static final int MOST_IN_HEADER = 6_000;

  /** AMQP puts a weight of two bytes, and the size of the body, before the properties. */
  private static final int BEFORE_PROPERTIES = Short.BYTES + Long.BYTES;

  /** Returns a delivered message as it is, with the properties that can be written again. */
  static StoredProperties raw(com.rabbitmq.client.Delivery delivered) {
    return new StoredProperties(
        delivered.getEnvelope().getExchange(),
        delivered.getEnvelope().getRoutingKey(),
        writable(delivered.getProperties()),
        delivered.getBody());
  }

  /**
   * Returns these properties, or only the delivery mode if they can't be written again. For
   * example, text that is not UTF-8 can become longer than AMQP allows when it is read.
   */
  static AMQP.BasicProperties writable(AMQP.BasicProperties properties) {
    try {
      boolean unused = encode(properties).length > 0;
      return properties;
    } catch (RuntimeException e) {
      return new AMQP.BasicProperties.Builder().deliveryMode(2).build();
    }
  }

  /** Returns the message to schedule, without an id and a due time. */
  Message<byte[]> toMessage() {
    byte[] encoded = encode(properties);
    boolean inHeader = encoded.length <= MOST_IN_HEADER;
    return Message.of(inHeader ? body : joined(encoded, body))
        .header(EXCHANGE, exchange)
        .header(ROUTING_KEY, routingKey)
        .header(
            inHeader ? PROPERTIES : PROPERTIES_LENGTH,
            inHeader
                ? Base64.getEncoder().encodeToString(encoded)
                : Integer.toString(encoded.length));
  }

  /** Returns whether this class made the headers of the message. */
  static boolean isIn(Delivery<byte[]> delivery) {
    Map<String, String> headers = delivery.headers();
    return headers.containsKey(PROPERTIES) || headers.containsKey(PROPERTIES_LENGTH);
  }

  /**
   * Reads the message of a delivery.
   *
   * @throws IllegalArgumentException if the headers were changed, and are not readable
   */
  static StoredProperties of(Delivery<byte[]> delivery) {
    return of(delivery.headers(), delivery.payload());
  }

  /**
   * Reads the message from the headers and the payload of a stored message.
   *
   * @throws IllegalArgumentException if the headers were changed, and are not readable
   */
  static StoredProperties of(Map<String, String> headers, byte[] payload) {
    String length = headers.get(PROPERTIES_LENGTH);
    int prefix = length == null ? 0 : Integer.parseInt(length);
    if (prefix > payload.length) {
      throw new IllegalArgumentException(
          "The header " + PROPERTIES_LENGTH + " exceeds the length of the payload");
    }
    byte[] encoded =
        length == null
            ? Base64.getDecoder().decode(headers.getOrDefault(PROPERTIES, ""))
            : Arrays.copyOf(payload, prefix);
    return new StoredProperties(
        headers.getOrDefault(EXCHANGE, ""),
        headers.getOrDefault(ROUTING_KEY, ""),
        decode(encoded),
        prefix == 0 ? payload : Arrays.copyOfRange(payload, prefix, payload.length));
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }

  private static byte[] encode(AMQP.BasicProperties properties) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      properties.writePropertiesTo(new ContentHeaderPropertyWriter(out));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static AMQP.BasicProperties decode(byte[] encoded) {
    byte[] header = joined(new byte[BEFORE_PROPERTIES], encoded);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(header))) {
      return new AMQP.BasicProperties(in);
    } catch (IOException e) {
      throw new IllegalArgumentException("The properties of the message are not readable", e);
    }
  }
}
