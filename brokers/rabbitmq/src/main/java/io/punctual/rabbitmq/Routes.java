package io.punctual.rabbitmq;

import io.punctual.Delivery;
import io.punctual.rabbitmq.internal.Outgoing;

/** Makes the message for RabbitMQ from a delivery. Called by many threads. */
@FunctionalInterface
interface Routes {
  /**
   * Returns the message to publish.
   *
   * @throws RuntimeException if the delivery can't be published; the retry policy applies
   */
  Outgoing outgoing(Delivery<byte[]> delivery);
}
