/** Delayed messages to and from RabbitMQ. */
@NullMarked
package io.punctual.rabbitmq;

import org.jspecify.annotations.NullMarked;
