package io.punctual.rabbitmq.delay;

import io.punctual.rabbitmq.internal.Outgoing;

/** Determines where a publisher sends a message so that the message waits until it is due. */
interface Waits {
  /**
   * Returns where to send a message that must reach a queue after {@code nanos}, a positive time.
   */
  Outgoing.Route firstHop(String queue, long nanos);
}
