package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerStats;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the due messages of a queue to RabbitMQ, at least once. A message is acked after
 * RabbitMQ has confirmed it.
 *
 * <pre>{@code
 * TimedQueue<byte[]> reminders = punctual.queue("reminders", Codec.bytes());
 * RabbitBridge bridge =
 *     RabbitBridge.builder(reminders, factory).exchange("shop").routingKey("reminder").start();
 * }</pre>
 *
 * <p>The body is the payload, and the headers of the message become headers of AMQP, except headers
 * that name the exchange or the routing key, or have the context of a trace, such as {@code
 * traceparent}. The header {@link #ID_HEADER} has the id, as does the property {@code message-id}
 * if the id fits into its 255 bytes. The header {@link #ATTEMPT_HEADER} has the attempt.
 *
 * <ul>
 *   <li>If RabbitMQ returns or refuses a message, the attempt fails with {@link
 *       UnroutableException} or {@link RefusedException}, and the retry policy applies: a retry, or
 *       a dead letter.
 *   <li>If the connection is lost, or no confirmation arrives in time, the message returns to the
 *       queue, and the attempt does not count. RabbitMQ may have the message already, so consumers
 *       can receive it twice, with the same id.
 *   <li>While RabbitMQ can't be reached, or blocks the connection because of an alarm, the bridge
 *       claims no messages.
 * </ul>
 *
 * <p>The bridge opens its own connection, opens it again when it is lost, and logs each outage.
 * Several bridges, also of several processes, can share a queue. Safe for use by many threads.
 */
public final class RabbitBridge implements AutoCloseable {
  /** The header with the id of the message: a string. */
  public static final String ID_HEADER = "x-punctual-id";

  /** The header with the number of the attempt, from 1: an integer. */
  public static final String ATTEMPT_HEADER = "x-punctual-attempt";

  private final String queue;
  private final ConfirmedPublisher publisher;
  private final Worker worker;

  private RabbitBridge(Builder builder, Routes routes, Endpoint endpoint) {
    queue = builder.queue.name();
    BridgeListener listener = new BridgeListener();
    publisher =
        new ConfirmedPublisher(
            new Connector(builder.name(), endpoint),
            builder.queue.name(),
            builder.confirmTimeout,
            RabbitBridge::id,
            listener);
    worker = builder.queue.workStages(builder.options, new Forwarder(routes, publisher));
    worker.pause();
    listener.worker = worker;
    boolean started = false;
    try {
      publisher.start(null);
      started = true;
    } finally {
      if (!started) {
        worker.close(Duration.ZERO);
      }
    }
  }

  private static String id(AMQP.BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    return headers == null ? "" : String.valueOf(headers.get(ID_HEADER));
  }

  /** Pauses the worker while no messages can be published. */
  private static final class BridgeListener implements ConfirmedPublisher.Listener {
    private volatile @Nullable Worker worker;

    @Override
    public void available() {
      started().resume();
    }

    @Override
    public void unavailable(@Nullable String blockedFor) {
      started().pause();
    }

    @Override
    public boolean isOver() {
      Worker started = started();
      return started.isClosed() && started.running() == 0;
    }

    private Worker started() {
      return Objects.requireNonNull(worker, "worker");
    }
  }

  /**
   * Returns a builder.
   *
   * @param queue a queue with {@link io.punctual.Codec#bytes}, so that the encoded payload becomes
   *     the body
   * @param factory the address, credentials and options of the connection; copied at {@link
   *     Builder#start}. Options for the recovery of connections have no effect
   */
  public static Builder builder(TimedQueue<byte[]> queue, ConnectionFactory factory) {
    return new Builder(queue, factory);
  }

  /**
   * Returns the default options of the worker: 256 messages in flight, or fewer if that many large
   * messages would exceed a sixteenth of the largest heap.
   */
  public static WorkerOptions defaultOptions() {
    int concurrency = Math.max(4, Math.min(256, Inflow.largeMessages()));
    return WorkerOptions.builder().concurrency(concurrency).build();
  }

  /** Returns the name of the queue whose messages the bridge publishes. */
  public String queue() {
    return queue;
  }

  /** Returns whether RabbitMQ accepts messages of the bridge now. */
  public boolean isAvailable() {
    return publisher.isConnected();
  }

  /** Returns the figures of the bridge's worker. */
  public WorkerStats stats() {
    return worker.stats();
  }

  /** Waits until the bridge or its {@link io.punctual.Punctual} is closed. */
  public void await() throws InterruptedException {
    worker.await();
  }

  /** Returns the publisher, for further messages over the same connection. */
  ConfirmedPublisher publisher() {
    return publisher;
  }

  /** Closes the bridge with the grace period of its worker's options, 20 seconds by default. */
  @Override
  public void close() {
    worker.close();
    publisher.close();
  }

  /**
   * Closes the bridge: claims no more messages, waits up to the grace period for confirmations, and
   * closes the connection. Messages without a confirmation return to the queue. Close the bridge
   * before its {@link io.punctual.Punctual}. Idempotent.
   */
  public void close(Duration grace) {
    worker.close(grace);
    publisher.close();
  }

  /** Builds a {@link RabbitBridge}. For use by one thread. */
  public static final class Builder {
    private static final AMQP.BasicProperties PERSISTENT =
        new AMQP.BasicProperties.Builder().deliveryMode(2).build();

    private final TimedQueue<byte[]> queue;
    private final ConnectionFactory factory;
    private List<Address> addresses = List.of();
    private @Nullable String exchange;
    private @Nullable String exchangeHeader;
    private String routingKey = "";
    private @Nullable String routingKeyHeader;
    private AMQP.BasicProperties properties = PERSISTENT;
    private boolean mandatory = true;
    private Duration confirmTimeout = Duration.ofSeconds(30);
    private WorkerOptions options = defaultOptions();

    private Builder(TimedQueue<byte[]> queue, ConnectionFactory factory) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.factory = Objects.requireNonNull(factory, "factory");
    }

    /** Sets the nodes of a cluster, instead of the address of the factory. */
    public Builder addresses(List<Address> addresses) {
      this.addresses = List.copyOf(addresses);
      return this;
    }

    /**
     * Sets the exchange of the messages. The empty name is the default exchange, which routes to
     * the queue whose name is the routing key.
     */
    public Builder exchange(String exchange) {
      this.exchange = Objects.requireNonNull(exchange, "exchange");
      return this;
    }

    /**
     * Takes the exchange from this header of the message; messages without the header use {@link
     * #exchange}. If no such exchange is set, the attempt fails.
     */
    public Builder exchangeHeader(String name) {
      this.exchangeHeader = Objects.requireNonNull(name, "name");
      return this;
    }

    /** Sets the routing key of the messages; empty by default. */
    public Builder routingKey(String routingKey) {
      this.routingKey = Objects.requireNonNull(routingKey, "routingKey");
      return this;
    }

    /**
     * Takes the routing key from this header of the message; messages without the header use {@link
     * #routingKey}.
     */
    public Builder routingKeyHeader(String name) {
      this.routingKeyHeader = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets properties and headers that all messages have, such as the content type. The headers of
     * a message replace headers of the same name. By default, the only such property is delivery
     * mode 2, which makes messages persistent.
     */
    public Builder properties(AMQP.BasicProperties properties) {
      this.properties = Objects.requireNonNull(properties, "properties");
      return this;
    }

    /**
     * Sets whether an attempt fails if no queue receives the message; true by default. Otherwise
     * RabbitMQ drops the message, and the bridge acks it.
     */
    public Builder mandatory(boolean mandatory) {
      this.mandatory = mandatory;
      return this;
    }

    /**
     * Sets how long the bridge waits for a confirmation, also while RabbitMQ blocks the connection;
     * 30 seconds by default, and at least a millisecond. After this time, the message returns to
     * the queue.
     */
    public Builder confirmTimeout(Duration confirmTimeout) {
      this.confirmTimeout = checked(confirmTimeout);
      return this;
    }

    /**
     * Sets the options of the worker: its concurrency is the number of messages in flight. By
     * default it is 256, or fewer with a heap of less than 4 GiB: one for each 16 MiB of the
     * largest heap. Options of batches are refused at the start.
     */
    public Builder workerOptions(WorkerOptions options) {
      this.options = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Starts the bridge. Connects in the background, and logs a warning if RabbitMQ can't be
     * reached.
     *
     * @throws IllegalStateException if neither an exchange nor a header with its name is set
     */
    public RabbitBridge start() {
      if (exchange == null && exchangeHeader == null) {
        throw new IllegalStateException("Set exchange(...) or exchangeHeader(...) first");
      }
      return start(
          new BridgeRoutes(
              exchange, exchangeHeader, routingKey, routingKeyHeader, properties, mandatory),
          new Endpoint(name(), factory, addresses, confirmTimeout));
    }

    private String name() {
      return "punctual-bridge-" + queue.name();
    }

    /**
     * Starts a bridge with these routes. Its outages are logged together with those of other
     * connections to the endpoint.
     */
    RabbitBridge start(Routes routes, Endpoint endpoint) {
      return new RabbitBridge(this, routes, endpoint);
    }

    static Duration checked(Duration confirmTimeout) {
      if (confirmTimeout.compareTo(Duration.ofMillis(1)) < 0) {
        throw new IllegalArgumentException(
            "confirmTimeout must be at least a millisecond, but was " + confirmTimeout);
      }
      return confirmTimeout;
    }
  }
}
