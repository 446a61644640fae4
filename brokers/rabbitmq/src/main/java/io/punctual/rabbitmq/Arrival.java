package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.internal.runtime.Backoff;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
  private final XDelay delay;
  private final long arrivedNanos = System.nanoTime();
  private final Tries tries = tries(250, 5_000);

  /** The pauses between moves are long, because each try sends the body again. */
  private final Tries moves = tries(250, 60_000);

  private final Tries waits = tries(10, 250);
  private String id;
  private int ids = 1;
  private IfPresent ifPresent = IfPresent.REJECT;
  private boolean copyWasDelivered;
  private boolean done;

  /**
   * Creates an arrival.
   *
   * @param delivered the message as RabbitMQ delivered it
   * @param original the message as its publisher sent it
   * @param usesMessageId whether the property {@code message-id} becomes the id
   */
  Arrival(Channel channel, Delivery delivered, StoredProperties original, boolean usesMessageId) {
    this(
        channel,
        delivered,
        original,
        XDelay.of(XDelay.header(original.properties())),
        usesMessageId ? original.properties().getMessageId() : null);
  }

  private Arrival(
      Channel channel,
      Delivery delivered,
      StoredProperties original,
      XDelay delay,
      @Nullable String messageId) {
    this.channel = channel;
    this.delay = delay;
    tag = delivered.getEnvelope().getDeliveryTag();
    redelivered = delivered.getEnvelope().isRedeliver();
    stored = delay.isDelayed() ? withNegativeDelay(original, delay) : original;
    id = messageId == null || messageId.isEmpty() ? UUID.randomUUID().toString() : messageId;
  }

  /** Creates an arrival whose properties can't be read, and that can only be refused. */
  static Arrival unreadable(Channel channel, Delivery delivered) {
    return new Arrival(channel, delivered, StoredProperties.raw(delivered), XDelay.of(null), null);
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

  /** Returns the number of bytes of the body. */
  int bytes() {
    return stored.body().length;
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

  private static Tries tries(long firstMillis, long longestMillis) {
    return new Tries(new Backoff(Duration.ofMillis(firstMillis), Duration.ofMillis(longestMillis)));
  }

  /** Returns the tries to store this message. */
  Tries tries() {
    return tries;
  }

  /** Returns the tries to move this message to the queue for refused messages. */
  Tries moves() {
    return moves;
  }

  /** Returns the waits for the end of a copy that was delivered. */
  Tries waits() {
    return waits;
  }

  /**
   * Returns the message to schedule, with the current id. Its delay counts from the arrival, also
   * if the store could not be reached at first.
   *
   * @throws RuntimeException if the properties can't be encoded
   */
  Message<byte[]> message() {
    Duration waited = Duration.ofNanos(System.nanoTime() - arrivedNanos);
    return stored.toMessage().id(id).dueIn(Duration.ofMillis(delay.millis()).minus(waited));
  }

  IfPresent ifPresent() {
    return ifPresent;
  }

  /**
   * Returns whether the stored message with this id is a copy of this message: it has the same
   * body, routing key and delay. Other headers do not count, because those of tracing and of
   * correlated confirms differ when a publisher sends a message again.
   */
  boolean isSame(StoredMessage<byte[]> found) {
    StoredProperties other;
    try {
      other = StoredProperties.of(found.headers(), found.payloadBytes());
    } catch (UndecodableException | IllegalArgumentException e) {
      return false;
    }
    return other.routingKey().equals(stored.routingKey())
        && delayText(other).equals(delayText(stored))
        && Arrays.equals(other.body(), stored.body());
  }

  private static String delayText(StoredProperties message) {
    return String.valueOf(XDelay.header(message.properties()));
  }

  /**
   * Notes that consumers may have received the stored copy, so that this message can be its
   * successor instead of a repetition.
   */
  void copyWasDelivered() {
    copyWasDelivered = true;
  }

  /**
   * Returns whether this message repeats a stored copy in this state, so that the copy will be
   * delivered in its place. A copy that was delivered may stay for a moment, until its ack is
   * stored; a consumer can have sent this message as its next one.
   */
  boolean repeats(StoredMessage<byte[]> copy) {
    return switch (copy.state()) {
      case SCHEDULED -> !copyWasDelivered && (redelivered || copy.attempts() == 0);
      case READY -> !copyWasDelivered && redelivered;
      default -> false;
    };
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
   * Chooses a new id, because a different message has the current id, or a copy that was delivered.
   * The first new id depends only on the old id and the content, so that a redelivery finds the
   * same id again.
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
      for (String part : new String[] {stored.routingKey(), delayText(stored)}) {
        digest.update((byte) 0);
        digest.update(part.getBytes(StandardCharsets.UTF_8));
      }
      digest.update((byte) 0);
      digest.update(stored.body());
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
