package io.punctual.rabbitmq.delay;

import java.util.Locale;

/** The types of the durable queues that a {@link RabbitDelayQueue} declares. */
public enum QueueType {
  /**
   * Replicated queues, from RabbitMQ 3.10 on. A confirmed message survives a crash of the broker,
   * also while the message moves between queues: the broker removes the message from a queue only
   * after the next queue has confirmed it.
   */
  QUORUM,
  /**
   * Queues on a single node. The broker moves messages between classic queues without
   * confirmations, so a crash of the broker can lose messages that move at that moment.
   */
  CLASSIC;

  /** Returns the value of the queue argument {@code x-queue-type}. */
  String argument() {
    return name().toLowerCase(Locale.ROOT);
  }
}
