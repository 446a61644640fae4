package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.punctual.Delivery;
import io.punctual.rabbitmq.internal.Outgoing;
import java.util.HashMap;
import java.util.Map;

/**
 * The routes of an intake: a message goes to the target exchange almost as its publisher sent it.
 * The user id is removed, and headers with the id and the attempt are added.
 *
 * @param target the exchange of all messages
 */
record IntakeRoutes(String target, boolean mandatory) implements Routes {
  @Override
  public Outgoing outgoing(Delivery<byte[]> delivery) {
    StoredProperties stored = StoredProperties.of(delivery);
    Map<String, Object> headers = new HashMap<>();
    if (stored.properties().getHeaders() != null) {
      headers.putAll(stored.properties().getHeaders());
    }
    AMQP.BasicProperties properties =
        stored
            .properties()
            .builder()
            .headers(BridgeRoutes.mark(headers, delivery))
            // RabbitMQ refuses a message whose user id names a different user.
            .userId(null)
            .build();
    return new Outgoing(
        delivery.id(), target, stored.routingKey(), properties, stored.body(), mandatory);
  }
}
