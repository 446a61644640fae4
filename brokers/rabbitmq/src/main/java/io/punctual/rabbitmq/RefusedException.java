package io.punctual.rabbitmq;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if RabbitMQ refused a message: it sent a {@code basic.nack}, or closed the channel because
 * of the message, for example because the exchange does not exist. Also thrown if RabbitMQ's client
 * can't send the message. The retry policy of the worker decides whether the bridge tries again.
 */
public final class RefusedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
