/**
 * Delayed queues compared: each implements {@link QueueContender}. Separate processes log the
 * messages that they schedule and receive, so losses are counted from the logs.
 *
 * <p>Most of the classes are contenders and the servers that they need, a few for each product.
 * They are one package, because all of them use the same processes, messages and logs, none of
 * which is public.
 */
@NullMarked
package io.punctual.benchmarks.queue;

import org.jspecify.annotations.NullMarked;
