package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.PunctualException;
import io.punctual.rabbitmq.internal.Connector;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges and queues of an intake.
 *
 * @param source the exchange to which publishers send
 * @param sourceType {@code fanout}, {@code topic} or {@code headers}
 * @param target the exchange that receives the due messages, with the bindings of consumers
 * @param queue the queue that receives all messages of the source
 * @param queueType {@code quorum} or {@code classic}
 */
record IntakeTopology(
    String source,
    String sourceType,
    String target,
    String targetType,
    String queue,
    String queueType) {

  /**
   * The number of redeliveries after which a quorum queue would drop or dead-letter a message. Each
   * reconnection counts, so the broker's default of 20 is too low.
   */
  private static final int DELIVERY_LIMIT = 1_000_000;

  /**
   * Returns the queue that receives the messages which expired in {@link #queue}. The {@code
   * expiration} of a message is meant for the queues of consumers, so such a message must not be
   * lost while no intake runs.
   */
  String expiredQueue() {
    return queue + ".expired";
  }

  /** Returns the queue that receives the messages which the store can never hold. */
  String refusedQueue() {
    return queue + ".refused";
  }

  /**
   * Declares the exchanges, the queues and the binding that do not exist yet.
   *
   * @throws PunctualException if RabbitMQ refuses a declaration
   */
  void declare(Connection connection) throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclare(refusedQueue(), true, false, false, refusedArguments());
      channel.queueDeclare(expiredQueue(), true, false, false, arguments());
      Map<String, Object> arguments = arguments();
      arguments.put("x-dead-letter-exchange", "");
      arguments.put("x-dead-letter-routing-key", expiredQueue());
      channel.queueDeclare(queue, true, false, false, arguments);
      channel.exchangeDeclare(target, targetType, true);
      channel.exchangeDeclare(source, sourceType, true);
      // A headers exchange sends every message to a binding without arguments.
      channel.queueBind(queue, source, "#");
    } catch (IOException e) {
      String refusal = refusal(e);
      if (refusal != null) {
        throw new PunctualException(
            "RabbitMQ refused to declare the exchanges and queues of the intake: "
                + refusal
                + ". Delete or rename what exists, or declare everything yourself and set"
                + " declare=false",
            e);
      }
      throw e;
    }
  }

  /** Returns why RabbitMQ refused a declaration, or null if the connection failed. */
  private static @Nullable String refusal(IOException failure) {
    Method reason =
        failure.getCause() instanceof ShutdownSignalException signal ? signal.getReason() : null;
    if (reason instanceof AMQP.Channel.Close refused) {
      return refused.getReplyText();
    }
    // A type of exchange that RabbitMQ does not know ends the connection.
    return reason instanceof AMQP.Connection.Close refused
            && refused.getReplyCode() == AMQP.COMMAND_INVALID
        ? refused.getReplyText()
        : null;
  }

  /**
   * Returns a preparation that declares only the queue for refused messages. If RabbitMQ refuses
   * this, the intake can work as long as it refuses no message.
   */
  Connector.Preparation refusedQueueOnly(IntakeLog log) {
    return connection -> {
      try {
        declareRefusedQueue(connection);
      } catch (IOException e) {
        log.noRefusedQueue(e);
      }
    };
  }

  private void declareRefusedQueue(Connection connection) throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclarePassive(refusedQueue());
    } catch (IOException missing) {
      try (Channel channel = connection.createChannel()) {
        channel.queueDeclare(refusedQueue(), true, false, false, refusedArguments());
      }
    }
  }

  private Map<String, Object> refusedArguments() {
    return Map.of("x-queue-type", queueType);
  }

  private Map<String, Object> arguments() {
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-queue-type", queueType);
    if (queueType.equals("quorum")) {
      arguments.put("x-delivery-limit", DELIVERY_LIMIT);
    }
    return arguments;
  }
}
