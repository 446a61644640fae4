/** Forwards due messages to topics of Kafka. */
@NullMarked
package io.punctual.kafka;

import org.jspecify.annotations.NullMarked;
