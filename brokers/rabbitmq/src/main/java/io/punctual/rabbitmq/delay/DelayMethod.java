package io.punctual.rabbitmq.delay;

/**
 * The ways in which the broker keeps the messages of a {@link RabbitDelayQueue} until they are due.
 * Clients with different methods can share a queue: the publisher's method applies to each message.
 */
public enum DelayMethod {
  /**
   * {@link #PARKING} where it works, otherwise {@link #LEVELS}. Parking works if the queues are
   * quorum queues, the broker has RabbitMQ 4.3 or newer and serves AMQP 1.0, and the library {@code
   * com.rabbitmq.client:amqp-client} is present. With TLS, parking also needs {@link
   * RabbitDelayQueueBuilder#sslContext}.
   */
  AUTO,
  /** Messages move through queues with fixed times to live. */
  LEVELS,
  /**
   * Messages wait in a separate queue until the broker's clock has reached their due time. Every
   * client with this method moves due messages to the delay queue, so at least one such client must
   * run. The clocks of the publishers and the broker must agree: a message is early if its
   * publisher's clock is behind.
   */
  PARKING
}
