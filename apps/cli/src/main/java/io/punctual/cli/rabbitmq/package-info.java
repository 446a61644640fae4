/** The command that delays messages of RabbitMQ. */
@NullMarked
package io.punctual.cli.rabbitmq;

import org.jspecify.annotations.NullMarked;
