/** Parts that the bridges and the delay queues share. Not exported. */
@org.jspecify.annotations.NullMarked
package io.punctual.rabbitmq.internal;
