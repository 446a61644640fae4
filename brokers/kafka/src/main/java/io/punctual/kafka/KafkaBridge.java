package io.punctual.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Delivery;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerStats;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends the due messages of a queue to Kafka, at least once. A message is acked after all in-sync
 * replicas have confirmed its record.
 *
 * <pre>{@code
 * TimedQueue<byte[]> reminders = punctual.queue("reminders", Codec.bytes());
 * KafkaBridge bridge =
 *     KafkaBridge.builder(reminders, Map.of("bootstrap.servers", "localhost:9092"))
 *         .topic("reminders")
 *         .start();
 * }</pre>
 *
 * <p>The value of a record is the payload, and the key is the message's id, unless a function
 * chooses a different key. The headers of the message become headers of the record, except those
 * with the context of a trace, such as {@code traceparent}. The headers {@link #ID_HEADER}, {@link
 * #ATTEMPT_HEADER} and {@link #DUE_HEADER} have the id, the attempt and the due time.
 *
 * <ul>
 *   <li>If Kafka refuses a record, the attempt fails with {@link RefusedException}, and the retry
 *       policy applies: a retry, or a dead letter. Other messages of the batch do not fail because
 *       of it.
 *   <li>If Kafka does not confirm a record in time, the message returns to the queue, and the
 *       attempt does not count. Kafka may have the record already, so consumers can receive the
 *       message twice, with the same id. A message for a partition without a leader returns to the
 *       queue within about a second, so that it delays no others.
 *   <li>If a process dies before it has acked a batch, or a lease is lost, the messages are sent
 *       again.
 * </ul>
 *
 * <p>A bridge sends the messages of a batch in the order of its claims: in a queue with one
 * partition, by their due times. With the default concurrency of 1, it sends a batch only after the
 * previous batch has ended. So the records in a partition of a topic have this order, unless a send
 * fails or another bridge serves the queue. A message that is sent again arrives after later
 * messages.
 *
 * <p>The bridge logs each outage. Several bridges, also of several processes, can share a queue.
 * Safe for use by many threads.
 */
public final class KafkaBridge implements AutoCloseable {
  /** The header with the id of the message: UTF-8. */
  public static final String ID_HEADER = "x-punctual-id";

  /** The header with the number of the attempt, from 1: decimal digits. */
  public static final String ATTEMPT_HEADER = "x-punctual-attempt";

  /** The header with the due time, in milliseconds from 1970: decimal digits. */
  public static final String DUE_HEADER = "x-punctual-due";

  private final BatchSender sender;
  private final Worker worker;

  private KafkaBridge(Builder builder, Records records) {
    Map<String, Object> settings =
        ProducerSettings.of(
            builder.properties, builder.confirmTimeout, "punctual-bridge-" + builder.queue.name());
    sender = new BatchSender(builder.queue.name(), settings, records, builder.confirmTimeout);
    Worker started = null;
    try {
      started = builder.queue.workBatches(builder.options, sender);
    } finally {
      if (started == null) {
        sender.close();
      }
    }
    worker = started;
  }

  /**
   * Returns a builder.
   *
   * @param queue a queue with {@link io.punctual.Codec#bytes}, so that the encoded payload becomes
   *     the value
   * @param properties the properties of the producer, with {@code bootstrap.servers}. The bridge
   *     sets {@code acks}, {@code enable.idempotence}, the serializers and {@code
   *     delivery.timeout.ms} itself
   */
  public static Builder builder(TimedQueue<byte[]> queue, Map<String, ?> properties) {
    return new Builder(queue, properties);
  }

  /** Returns whether Kafka confirmed or refused the records of the last batch; true at first. */
  public boolean isAvailable() {
    return sender.isAvailable();
  }

  /** Returns the figures of the bridge's worker. */
  public WorkerStats stats() {
    return worker.stats();
  }

  /** Waits until the bridge or its {@link io.punctual.Punctual} is closed. */
  public void await() throws InterruptedException {
    worker.await();
  }

  /** Closes the bridge with the grace period of its worker's options, 20 seconds by default. */
  @Override
  public void close() {
    worker.close();
    sender.close();
  }

  /**
   * Closes the bridge: claims no more messages, waits up to the grace period for confirmations, and
   * closes the producer. Messages without a confirmation return to the queue. Close the bridge
   * before its {@link io.punctual.Punctual}. Idempotent.
   */
  public void close(Duration grace) {
    worker.close(grace);
    sender.close();
  }

  /** Builds a {@link KafkaBridge}. For use by one thread. */
  public static final class Builder {
    private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

    private final TimedQueue<byte[]> queue;
    private final Map<String, ?> properties;
    private @Nullable Function<Delivery<byte[]>, String> topic;
    private Function<Delivery<byte[]>, byte @Nullable []> key =
        delivery -> delivery.id().getBytes(UTF_8);
    private Duration confirmTimeout = Duration.ofSeconds(30);
    private WorkerOptions options = WorkerOptions.builder().concurrency(1).batchSize(500).build();

    private Builder(TimedQueue<byte[]> queue, Map<String, ?> properties) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.properties = Map.copyOf(properties);
    }

    /** Sets the topic of all messages. */
    public Builder topic(String topic) {
      Objects.requireNonNull(topic, "topic");
      this.topic = delivery -> topic;
      return this;
    }

    /**
     * Sets the function that chooses the topic of a message, for example from a header. If the
     * function throws, or returns null or an empty name, the attempt fails with {@link
     * RefusedException}.
     */
    public Builder topic(Function<Delivery<byte[]>, String> topic) {
      this.topic = Objects.requireNonNull(topic, "topic");
      return this;
    }

    /**
     * Sets the function that chooses the key of a record. If the function returns null, the record
     * has no key; Kafka spreads such records over the partitions. If it throws, the attempt fails
     * with {@link RefusedException}. By default the key is the id of the message in UTF-8.
     */
    public Builder key(Function<Delivery<byte[]>, byte @Nullable []> key) {
      this.key = Objects.requireNonNull(key, "key");
      return this;
    }

    /**
     * Sets how long the bridge waits for the confirmation of a record, 30 seconds by default, and
     * from 100 milliseconds to an hour. After this time, the message returns to the queue.
     */
    public Builder confirmTimeout(Duration confirmTimeout) {
      if (confirmTimeout.compareTo(Duration.ofMillis(100)) < 0
          || confirmTimeout.compareTo(LONGEST_TIMEOUT) > 0) {
        throw new IllegalArgumentException(
            "confirmTimeout must be from 100 milliseconds to an hour, but was " + confirmTimeout);
      }
      this.confirmTimeout = confirmTimeout;
      return this;
    }

    /**
     * Sets the options of the worker. By default one batch of up to 500 messages is in flight; with
     * a higher concurrency, several batches can be in flight, without an order between them.
     */
    public Builder workerOptions(WorkerOptions options) {
      this.options = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Starts the bridge. Connects in the background, and logs a warning if Kafka can't be reached.
     *
     * @throws IllegalStateException if no topic is set
     * @throws IllegalArgumentException if a property of the producer is missing, is wrong, or
     *     contradicts the properties that the bridge sets itself
     */
    public KafkaBridge start() {
      if (topic == null) {
        throw new IllegalStateException("Set topic(...) first");
      }
      return new KafkaBridge(this, new Records(topic, key));
    }
  }
}
