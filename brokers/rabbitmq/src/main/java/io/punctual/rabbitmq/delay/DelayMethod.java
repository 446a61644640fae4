package io.punctual.rabbitmq.delay;

/**
 * The ways in which the broker keeps the messages of a {@link RabbitDelayQueue} until they are due.
 * Clients with different methods can share a queue: each message takes the way of its publisher.
 */
public enum DelayMethod {
  /**
   * {@link #PARKING} where it works, otherwise {@link #LEVELS}. Parking works if the queues are
   * quorum queues, the broker has RabbitMQ 4.3 or newer and serves AMQP 1.0, and the library {@code
   * com.rabbitmq.client:amqp-client} is present.
   */
  AUTO,
  /** Messages move through queues with fixed times to live, on every broker. */
  LEVELS,
  /**
   * Messages wait in a queue of their own until the broker's clock has reached their due time.
   * Every client with this method moves due messages on, so one such client must run at least. The
   * clocks of the publishers and the broker must agree: a message is early if its publisher's clock
   * is behind.
   */
  PARKING
}
