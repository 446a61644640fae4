/**
 * Delayed queues beside one another: each behind {@link QueueContender}, driven by processes that
 * log what they scheduled and what they were handed, so that loss is counted and not believed.
 */
@NullMarked
package io.punctual.benchmarks.queue;

import org.jspecify.annotations.NullMarked;
