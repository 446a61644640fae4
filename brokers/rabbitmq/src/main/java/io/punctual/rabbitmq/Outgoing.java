package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to RabbitMQ.
 *
 * @param id the value of the header {@link RabbitBridge#ID_HEADER}, by which a returned message is
 *     recognised
 * @param mandatory whether RabbitMQ returns the message if no queue receives it
 * @param confirmed completes when RabbitMQ has confirmed the message. Fails with {@link
 *     UnroutableException}, {@link RefusedException}, {@link BrokerAwayException}, or {@link
 *     java.util.concurrent.TimeoutException} if no confirmation arrived in time
 */
record Outgoing(
    String id,
    String exchange,
    String routingKey,
    AMQP.BasicProperties properties,
    byte[] body,
    boolean mandatory,
    CompletableFuture<@Nullable Void> confirmed) {
  private static final AMQP.BasicProperties NO_PROPERTIES = new AMQP.BasicProperties();
  private static final byte[] NO_BODY = {};

  Outgoing(
      String id,
      String exchange,
      String routingKey,
      AMQP.BasicProperties properties,
      byte[] body,
      boolean mandatory) {
    this(id, exchange, routingKey, properties, body, mandatory, new CompletableFuture<>());
  }

  /** Returns a copy that needs little memory, without properties and body. */
  Outgoing withoutContent() {
    return new Outgoing(id, exchange, routingKey, NO_PROPERTIES, NO_BODY, mandatory, confirmed);
  }

  void fail(Throwable failure) {
    confirmed.completeExceptionally(failure);
  }
}
