package io.punctual.rabbitmq.delay;

/** Determines where a publisher sends a message so that the message waits until it is due. */
interface Waits {
  /**
   * Returns where to send a message that must reach a queue after {@code nanos}, a positive time.
   */
  Hop firstHop(String queue, long nanos);

  record Hop(String exchange, String routingKey) {}
}
