/** A RabbitMQ broker for tests. The client is a dependency of the users. */
@NullMarked
package io.punctual.kit.rabbitmq;

import org.jspecify.annotations.NullMarked;
