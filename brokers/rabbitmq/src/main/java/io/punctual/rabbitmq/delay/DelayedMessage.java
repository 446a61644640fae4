package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AMQP.BasicProperties;

/**
 * A message to publish. The delay is computed when the message is sent, so that a wait for the
 * broker does not add to it.
 *
 * @param id the property {@code message-id} of the properties
 * @param queue the queue that receives the message when it is due
 * @param dueNanos the due time by {@link System#nanoTime}
 */
record DelayedMessage(
    String id, String queue, long dueNanos, BasicProperties properties, byte[] body) {}
