/**
 * Workers, which claim messages for their handlers.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>a worker: {@code QueueWorker} with its {@code WorkerShutdown};
 *   <li>claims: {@code Claimers}, {@code PartitionClaimer};
 *   <li>permits: {@code Pool}, {@code Permits}, {@code ClaimThrottle}, {@code Batches};
 *   <li>messages that wait for a free handler: {@code WorkerPrefetch}, {@code WaitingMessage},
 *       {@code PrefetchLeases}.
 * </ul>
 */
@NullMarked
package io.punctual.internal.worker;

import org.jspecify.annotations.NullMarked;
