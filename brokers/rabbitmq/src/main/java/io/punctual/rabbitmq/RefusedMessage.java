package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.punctual.rabbitmq.internal.Outgoing;
import java.util.HashMap;
import java.util.Map;

/**
 * The form in which an intake moves a message that the store can never hold to the queue for
 * refused messages. It has the body, the headers and most properties of the message.
 */
final class RefusedMessage {
  static final String REASON_HEADER = "x-punctual-reason";

  /** The header with the routing keys of the publisher's header {@code CC}. */
  static final String COPIES_HEADER = "x-punctual-cc";

  private RefusedMessage() {}

  static Outgoing of(Arrival arrival, String queue, Throwable reason) {
    AMQP.BasicProperties properties = StoredProperties.writable(arrival.stored().properties());
    Map<String, Object> headers = new HashMap<>();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    // By the header CC, RabbitMQ would also send the message to the queues with these names.
    Object copies = headers.remove(OriginalMessage.COPIES);
    if (copies != null) {
      headers.put(COPIES_HEADER, copies);
    }
    headers.put(RabbitBridge.ID_HEADER, arrival.id());
    headers.put(REASON_HEADER, String.valueOf(reason.getMessage()));
    return new Outgoing(
        arrival.id(),
        "",
        queue,
        // RabbitMQ refuses a message whose user id names a different user.
        properties.builder().headers(headers).userId(null).expiration(null).build(),
        arrival.stored().body(),
        true);
  }
}
