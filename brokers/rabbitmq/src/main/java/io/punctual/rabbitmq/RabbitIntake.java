package io.punctual.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.WorkerStats;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Delays messages of RabbitMQ, as a replacement for the delayed-message plugin. Publishers send
 * messages with the header {@code x-delay}, in milliseconds, to the source exchange, as they did
 * with the plugin. The intake stores each message in a queue of Punctual. When the message is due,
 * the intake publishes it to the target exchange, with the same routing key, body and properties.
 * It only removes the property {@code user-id}, changes the sign of a positive {@code x-delay}, and
 * adds the headers {@link RabbitBridge#ID_HEADER} and {@link RabbitBridge#ATTEMPT_HEADER}.
 *
 * <pre>{@code
 * RabbitIntake intake =
 *     RabbitIntake.builder(punctual.queue("orders", Codec.bytes()), factory)
 *         .source("orders")
 *         .target("orders.due", "topic")
 *         .start();
 * }</pre>
 *
 * <p>The source is an exchange that sends every message to the intake queue. The intake acks a
 * message after the store has confirmed it. While the store fails, at most as many messages as the
 * prefetch are unacked, and the other messages wait in RabbitMQ; so do they while the bodies of the
 * unacked messages exceed a sixteenth of the largest heap. If a message with the same {@code
 * message-id}, body, routing key and delay is still to be delivered, the intake drops the new
 * message as a duplicate.
 *
 * <p>Several intakes, also of several processes, can share the queues. Safe for use by many
 * threads.
 */
public final class RabbitIntake implements AutoCloseable {
  private final String queue;
  private final IntakeLoop loop;
  private final RabbitBridge bridge;
  private final Duration grace;

  private RabbitIntake(String queue, IntakeLoop loop, RabbitBridge bridge, Duration grace) {
    this.queue = queue;
    this.loop = loop;
    this.bridge = bridge;
    this.grace = grace;
  }

  /**
   * Returns a builder.
   *
   * @param queue the queue that stores the messages, with {@link io.punctual.Codec#bytes}; only
   *     intakes schedule into it
   * @param factory the address, credentials and options of the connections; copied at {@link
   *     Builder#start}. Options for the recovery of connections have no effect
   */
  public static Builder builder(TimedQueue<byte[]> queue, ConnectionFactory factory) {
    return new Builder(queue, factory);
  }

  /** Returns the name of the queue that stores the messages. */
  public String queue() {
    return queue;
  }

  /** Returns the figures of the worker that publishes due messages. */
  public WorkerStats stats() {
    return bridge.stats();
  }

  /** Returns the figures of the way from RabbitMQ to the store. */
  public IntakeStats intakeStats() {
    return loop.stats();
  }

  /**
   * Returns whether the intake receives messages of RabbitMQ, the last message could be stored, and
   * RabbitMQ accepts due messages.
   */
  public boolean isAvailable() {
    return loop.isAvailable() && bridge.isAvailable();
  }

  /** Waits until the intake or its {@link io.punctual.Punctual} is closed. */
  public void await() throws InterruptedException {
    bridge.await();
  }

  /** Closes the intake with the grace period of its worker's options, 20 seconds by default. */
  @Override
  public void close() {
    close(grace);
  }

  /**
   * Closes the intake: receives no more messages, waits up to the grace period until the store has
   * confirmed the received messages and RabbitMQ the published messages, and closes the
   * connections, which takes up to five seconds more if RabbitMQ does not answer. Received messages
   * that the store has not confirmed stay in RabbitMQ, and published messages that RabbitMQ has not
   * confirmed stay in the store. Close the intake before its {@link io.punctual.Punctual}.
   * Idempotent.
   */
  public void close(Duration grace) {
    loop.beginClose(grace);
    bridge.close(grace);
    loop.awaitClose();
  }

  /** Builds a {@link RabbitIntake}. For use by one thread. */
  public static final class Builder {
    /**
     * The possible types of the source. A direct exchange is not among them, because it has no
     * binding that matches every routing key.
     */
    private static final Set<String> SOURCE_TYPES = Set.of("fanout", "topic", "headers");

    private static final Set<String> QUEUE_TYPES = Set.of("classic", "quorum");
    private static final int MAX_PREFETCH = 65_535;

    private final TimedQueue<byte[]> queue;
    private final ConnectionFactory factory;
    private List<Address> addresses = List.of();
    private @Nullable String source;
    private String sourceType = "fanout";
    private @Nullable String target;
    private String targetType = "";
    private @Nullable String intakeQueue;
    private String queueType = "quorum";
    private boolean declares = true;
    private boolean messageIds = true;
    private boolean mandatory = true;
    private int prefetch = 1_000;
    private Duration confirmTimeout = Duration.ofSeconds(30);
    private WorkerOptions options = RabbitBridge.defaultOptions();

    private Builder(TimedQueue<byte[]> queue, ConnectionFactory factory) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.factory = Objects.requireNonNull(factory, "factory");
    }

    /** Sets the nodes of a cluster, instead of the address of the factory. */
    public Builder addresses(List<Address> addresses) {
      this.addresses = List.copyOf(addresses);
      return this;
    }

    /** Sets the exchange to which publishers send, which is of the type {@code fanout}. */
    public Builder source(String exchange) {
      return source(exchange, "fanout");
    }

    /**
     * Sets the exchange to which publishers send, and its type.
     *
     * @param type {@code fanout}, {@code topic} or {@code headers}, because these types can send
     *     every message to the intake queue
     */
    public Builder source(String exchange, String type) {
      if (!SOURCE_TYPES.contains(type)) {
        throw new IllegalArgumentException(
            "The type of the source exchange must be fanout, topic or headers, but was '"
                + type
                + "'. For a direct exchange, set an alternate exchange by a policy, and declare("
                + "false)");
      }
      source = checked("source", exchange);
      sourceType = type;
      return this;
    }

    /**
     * Sets the exchange that receives the due messages, and its type: the {@code x-delayed-type} of
     * the plugin's exchange. Consumers bind their queues to this exchange.
     */
    public Builder target(String exchange, String type) {
      target = checked("target", exchange);
      targetType = checked("type", type);
      return this;
    }

    /**
     * Sets the queue that receives the messages of the source; by default, its name is the name of
     * the source with the suffix {@code .intake}. The names of two further queues begin with this
     * name: {@code .expired} has messages that expired in the intake queue, until the intake
     * consumes them; {@code .refused} has messages that the store can never hold.
     */
    public Builder intakeQueue(String name) {
      intakeQueue = checked("intakeQueue", name);
      return this;
    }

    /** Sets the type of the intake queue: {@code quorum}, the default, or {@code classic}. */
    public Builder queueType(String type) {
      if (!QUEUE_TYPES.contains(type)) {
        throw new IllegalArgumentException(
            "The type of the intake queue must be quorum or classic, but was '" + type + "'");
      }
      queueType = type;
      return this;
    }

    /**
     * Sets whether the intake declares the exchanges, the queues and their binding; true by
     * default. Otherwise, only the intake queue is consumed.
     */
    public Builder declare(boolean declare) {
      declares = declare;
      return this;
    }

    /**
     * Sets whether the property {@code message-id} becomes the id of the message; true by default.
     * Then messages can be found and cancelled by this property. A message that is published or
     * delivered again while a copy waits in the queue is not stored twice. Messages without the
     * property get a generated id.
     */
    public Builder messageIds(boolean messageIds) {
      this.messageIds = messageIds;
      return this;
    }

    /**
     * Sets whether a message that no queue receives is retried, and then becomes a dead letter;
     * true by default. Otherwise RabbitMQ drops the message, as with the plugin.
     */
    public Builder mandatory(boolean mandatory) {
      this.mandatory = mandatory;
      return this;
    }

    /** Sets how many messages of a queue may be unacked, 1 to 65,535; 1000 by default. */
    public Builder prefetch(int prefetch) {
      if (prefetch < 1 || prefetch > MAX_PREFETCH) {
        throw new IllegalArgumentException(
            "prefetch must be between 1 and " + MAX_PREFETCH + ", but was " + prefetch);
      }
      this.prefetch = prefetch;
      return this;
    }

    /** Sets how long a published message waits for a confirmation; 30 seconds by default. */
    public Builder confirmTimeout(Duration confirmTimeout) {
      this.confirmTimeout = RabbitBridge.Builder.checked(confirmTimeout);
      return this;
    }

    /**
     * Sets the options of the worker that publishes due messages: see {@link
     * RabbitBridge.Builder#workerOptions}.
     */
    public Builder workerOptions(WorkerOptions options) {
      this.options = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Starts the intake. If RabbitMQ can't be reached, the intake logs a warning, and connects in
     * the background.
     *
     * @throws IllegalStateException if the source or the target is not set, or both are the same
     * @throws PunctualException if RabbitMQ refuses the credentials, or the declaration of an
     *     exchange or a queue
     */
    public RabbitIntake start() {
      if (source == null || target == null) {
        throw new IllegalStateException("Set source(...) and target(...) first");
      }
      if (source.equals(target)) {
        throw new IllegalStateException(
            "The source and the target must be different exchanges, but both are '" + source + "'");
      }
      String name = "punctual-intake-" + queue.name();
      Endpoint endpoint = new Endpoint(name, factory, addresses, confirmTimeout);
      IntakeTopology topology =
          new IntakeTopology(
              source,
              sourceType,
              target,
              targetType,
              intakeQueue == null ? source + ".intake" : intakeQueue,
              queueType);
      IntakeLog log = new IntakeLog(name, queue.name(), topology);
      Connector connector =
          new Connector(
              name,
              endpoint,
              declares ? topology::declare : topology.refusedQueueOnly(log),
              new CallerExecutor());
      IntakeSettings settings = new IntakeSettings(topology, declares, prefetch, messageIds);
      Connection connection = firstConnection(connector);
      RabbitBridge bridge = null;
      boolean started = false;
      try {
        bridge = bridge(target, endpoint);
        IntakeLoop loop = new IntakeLoop(settings, queue, connector, bridge.publisher(), log);
        loop.start(connection);
        started = true;
        return new RabbitIntake(queue.name(), loop, bridge, options.shutdownGrace());
      } finally {
        if (!started) {
          close(connector, connection, bridge);
        }
      }
    }

    /** Closes the parts of an intake that did not start; else their threads keep the process. */
    private static void close(
        Connector connector, @Nullable Connection connection, @Nullable RabbitBridge bridge) {
      connector.stop();
      if (connection != null) {
        connector.close(connection);
      }
      if (bridge != null) {
        bridge.close(Duration.ZERO);
      }
    }

    private RabbitBridge bridge(String to, Endpoint endpoint) {
      return RabbitBridge.builder(queue, factory)
          .confirmTimeout(confirmTimeout)
          .workerOptions(options)
          .start(new IntakeRoutes(to, mandatory), endpoint);
    }

    /**
     * Opens a connection, and declares the exchanges and queues unless {@link #declare} is off.
     * Returns null if RabbitMQ can't be reached.
     */
    private static @Nullable Connection firstConnection(Connector connector) {
      try {
        return connector.connectOnce();
      } catch (PossibleAuthenticationFailureException e) {
        throw new PunctualException(
            "RabbitMQ refused the connection: check the user, the password and the virtual host",
            e);
      } catch (IOException | TimeoutException | ShutdownSignalException e) {
        connector.failed("can't connect to RabbitMQ", e);
        return null;
      }
    }

    private static String checked(String what, String value) {
      if (value.isEmpty()) {
        throw new IllegalArgumentException(what + " must not be empty");
      }
      return value;
    }
  }
}
