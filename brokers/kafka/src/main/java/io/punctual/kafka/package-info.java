/** Delayed messages to Kafka. */
@NullMarked
package io.punctual.kafka;

import org.jspecify.annotations.NullMarked;
