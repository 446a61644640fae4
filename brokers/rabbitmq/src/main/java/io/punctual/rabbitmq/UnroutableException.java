package io.punctual.rabbitmq;

import io.punctual.PunctualException;

/**
 * Thrown if RabbitMQ returned a message, because no queue is bound to its exchange for its routing
 * key. The retry policy of the worker decides whether the bridge tries again. A rule of the policy
 * can name this class:
 *
 * <pre>{@code
 * RetryPolicy.DEFAULT.forFailure(UnroutableException.class, RetryPolicy.never())
 * }</pre>
 */
public final class UnroutableException extends PunctualException {
  private static final long serialVersionUID = 1L;

  UnroutableException(String message) {
    super(message);
  }
}
