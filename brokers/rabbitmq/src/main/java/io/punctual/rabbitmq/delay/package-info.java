/**
 * A delay queue on RabbitMQ alone, without a store: {@link
 * io.punctual.rabbitmq.delay.RabbitDelayQueue} publishes messages with a delay, and delivers them
 * to handlers with retries and dead letters. RabbitMQ can't find a message by its id, so this
 * package has no cancel, no look-up and no reschedule.
 */
@NullMarked
package io.punctual.rabbitmq.delay;

import org.jspecify.annotations.NullMarked;
