package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A message that RabbitMQ has delivered to an intake, on its way to the store. Used by the intake's
 * thread only.
 */
final class Arrival {
  private static final int HASH_CHARACTERS = 32;

  private final Channel channel;
  private final long tag;
  private final boolean redelivered;
  private final StoredProperties stored;
  private final Message<byte[]> message;
  private final XDelay delay;
  private String id;
  private int ids = 1;
  private IfPresent ifPresent = IfPresent.REJECT;
  private boolean done;

  /**
   * Creates an arrival.
   *
   * @param delivered the message as RabbitMQ delivered it
   * @param original the message as its publisher sent it
   * @param usesMessageId whether the property {@code message-id} becomes the id
   */
  Arrival(Channel channel, Delivery delivered, StoredProperties original, boolean usesMessageId) {
    this.channel = channel;
    tag = delivered.getEnvelope().getDeliveryTag();
    redelivered = delivered.getEnvelope().isRedeliver();
    Map<String, Object> headers = original.properties().getHeaders();
    delay = XDelay.of(headers == null ? null : headers.get(XDelay.HEADER));
    stored = delay.isDelayed() ? withNegativeDelay(original, delay) : original;
    message = stored.toMessage().dueIn(Duration.ofMillis(delay.millis()));
    String messageId = original.properties().getMessageId();
    boolean named = usesMessageId && messageId != null && !messageId.isEmpty();
    id = named ? messageId : UUID.randomUUID().toString();
  }

  private static StoredProperties withNegativeDelay(StoredProperties original, XDelay delay) {
    Map<String, Object> headers = new TreeMap<>(original.properties().getHeaders());
    headers.put(XDelay.HEADER, delay.delivered());
    AMQP.BasicProperties changed = original.properties().builder().headers(headers).build();
    return new StoredProperties(
        original.exchange(), original.routingKey(), changed, original.body());
  }

  Channel channel() {
    return channel;
  }

  long tag() {
    return tag;
  }

  String id() {
    return id;
  }

  XDelay delay() {
    return delay;
  }

  boolean isRedelivered() {
    return redelivered;
  }

  StoredProperties stored() {
    return stored;
  }

  /** Returns the message to schedule, with the current id. */
  Message<byte[]> message() {
    return message.id(id);
  }

  IfPresent ifPresent() {
    return ifPresent;
  }

  /**
   * Returns whether the stored message with this id has the content of this message, and therefore
   * counts as its copy. A stored message whose content is damaged is no copy.
   */
  boolean isSame(StoredMessage<byte[]> found) {
    try {
      // Interceptors may have added headers.
      return found.headers().entrySet().containsAll(message.headers().entrySet())
          && Arrays.equals(found.payloadBytes(), message.payload());
    } catch (UndecodableException e) {
      return false;
    }
  }

  /**
   * Lets the next schedule replace the stored copy of this message. The copy will not be delivered,
   * because it is a dead letter or was cancelled while it was leased. {@link IfPresent#KEEP}
   * replaces such copies only.
   */
  void replace() {
    ifPresent = IfPresent.KEEP;
  }

  /**
   * Chooses a new id, because a different message has the current id. The first new id depends only
   * on the old id and the content, so that a redelivery finds the same id again.
   */
  void changeId() {
    ids++;
    String suffix = "~" + (ids == 2 ? hash() : UUID.randomUUID());
    String messageId = stored.properties().getMessageId();
    boolean fits = messageId != null && bytes(messageId + suffix) <= Limits.ID_BYTES;
    id = fits ? messageId + suffix : suffix;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private String hash() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(id.getBytes(StandardCharsets.UTF_8));
      new TreeMap<>(message.headers())
          .forEach(
              (name, value) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
                digest.update(value.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
              });
      digest.update(message.payload());
      return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_CHARACTERS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** Marks the message as finished, so that it can be acked. */
  void finish() {
    done = true;
  }

  boolean isDone() {
    return done;
  }
}
