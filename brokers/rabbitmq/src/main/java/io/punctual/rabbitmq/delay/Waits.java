package io.punctual.rabbitmq.delay;

/** The way of a message to its queue: where a publisher sends it so that it waits for its time. */
interface Waits {
  /** Returns where a message for a queue waits for this time, which is positive. */
  Hop firstHop(String queue, long nanos);

  /** An exchange and a routing key. */
  record Hop(String exchange, String routingKey) {}
}
