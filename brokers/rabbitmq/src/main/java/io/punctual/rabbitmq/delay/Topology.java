package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * The queues, exchanges and bindings of a delay queue. Declaring them again is harmless. Immutable.
 */
final class Topology {
  private static final String DEAD = ".dead";

  private final Levels levels;
  private final QueueType type;
  private final String queue;
  private final boolean parks;

  /**
   * Creates a topology.
   *
   * @param parks whether messages wait in a {@link ParkingQueue} instead of the levels
   */
  Topology(Levels levels, QueueType type, String queue, boolean parks) {
    this.levels = levels;
    this.type = type;
    this.queue = queue;
    this.parks = parks;
  }

  QueueType type() {
    return type;
  }

  /** Returns the name of the dead-letter queue. */
  String deadLetters() {
    return queue + DEAD;
  }

  /**
   * Declares the queues, exchanges and bindings that do not exist.
   *
   * @throws io.punctual.StoreRefusedException if a queue or an exchange exists with different
   *     arguments, or the user lacks rights
   * @throws StoreUnavailableException if the connection fails
   */
  void declare(Connection connection) {
    Declaring declaring = new Declaring();
    try (Channel channel = open(connection)) {
      declareQueues(declaring, channel);
      if (parks) {
        declaring.queue(channel, ParkingQueue.name(queue), ParkingQueue.arguments(queue));
      } else {
        declareLevels(declaring, channel);
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw Failures.of(declaring.doing, e);
    }
  }

  private static Channel open(Connection connection) throws IOException {
    return connection
        .openChannel()
        .orElseThrow(
            () -> new StoreUnavailableException("The connection has no free channel", null));
  }

  private void declareQueues(Declaring declaring, Channel channel) throws IOException {
    declaring.queue(channel, deadLetters(), plain());

    // From 4.0 on, quorum queues drop a message after 20 deliveries without a settlement, unless
    // it can become a dead letter.
    Map<String, Object> arguments = new LinkedHashMap<>(plain());
    arguments.put("x-dead-letter-exchange", "");
    arguments.put("x-dead-letter-routing-key", deadLetters());
    if (type == QueueType.QUORUM) {
      arguments.putAll(Levels.CONFIRMED);
    }
    declaring.queue(channel, queue, arguments);
  }

  private Map<String, Object> plain() {
    return Map.of("x-queue-type", type.argument());
  }

  /**
   * Declares the levels from the lowest to the highest, so that the exchange behind a queue exists
   * before the queue has a message.
   */
  private void declareLevels(Declaring declaring, Channel channel) throws IOException {
    declaring.queue(channel, levels.orphans(), plain());
    declaring.exchange(channel, levels.orphans(), Map.of());
    declaring.bindQueue(channel, levels.orphans(), levels.orphans(), "#");
    declaring.exchange(channel, levels.exit(), Map.of("alternate-exchange", levels.orphans()));
    declaring.bindQueue(channel, queue, levels.exit(), Levels.exitPattern(queue));
    for (int level = 0; level < levels.count(); level++) {
      String name = levels.name(level);
      declaring.exchange(channel, name, Map.of());
      declaring.queue(channel, name, levels.arguments(level));
      declaring.bindQueue(channel, name, name, Levels.pattern(level, 1));
      declaring.bindExchange(channel, levels.below(level), name, Levels.pattern(level, 0));
    }
  }

  /** Declares and binds, and remembers the current step for the text of an exception. */
  private static final class Declaring {
    private String doing = "Opening a channel of RabbitMQ";

    void queue(Channel channel, String name, Map<String, Object> arguments) throws IOException {
      doing = "Declaring queue '" + name + "' with " + arguments;
      channel.queueDeclare(name, true, false, false, arguments);
    }

    void exchange(Channel channel, String name, Map<String, Object> arguments) throws IOException {
      doing = "Declaring exchange '" + name + "' as a durable topic exchange with " + arguments;
      channel.exchangeDeclare(name, BuiltinExchangeType.TOPIC, true, false, arguments);
    }

    void bindQueue(Channel channel, String name, String source, String pattern) throws IOException {
      doing = "Binding queue '" + name + "' to exchange '" + source + "'";
      channel.queueBind(name, source, pattern);
    }

    void bindExchange(Channel channel, String name, String source, String pattern)
        throws IOException {
      doing = "Binding exchange '" + name + "' to exchange '" + source + "'";
      channel.exchangeBind(name, source, pattern);
    }
  }
}
