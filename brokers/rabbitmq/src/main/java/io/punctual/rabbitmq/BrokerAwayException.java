package io.punctual.rabbitmq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the connection was lost or closed before RabbitMQ confirmed a message. The message may
 * have been routed. The failure says nothing about the message itself.
 */
final class BrokerAwayException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokerAwayException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
