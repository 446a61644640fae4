/**
 * Delayed queues compared: each implements {@link QueueContender}. The processes of a trial log the
 * messages that they schedule and receive, so losses are counted from the logs.
 *
 * <p>Most of the classes are contenders and the servers that they need, a few for each product.
 * They are one package, because they share processes, messages and logs that are not public.
 */
@NullMarked
package io.punctual.benchmarks.queue;

import org.jspecify.annotations.NullMarked;
