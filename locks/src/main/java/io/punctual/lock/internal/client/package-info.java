/**
 * The client of a Redis deployment, as far as it needs no attempts and no holds:
 *
 * <ul>
 *   <li>{@code LockClient} has the connections, the timer and the ids; {@code CallbackExecutor},
 *       {@code LockEvents} and {@code OpenWaits} belong to it;
 *   <li>requests: {@code LockRequests} sends those that acquire and renew locks, in the batches of
 *       {@code RequestBatches}; {@code RepeatedCall} repeats a request until the server replies;
 *       {@code LockConfirmation} asks replicas and the disk;
 *   <li>failures: {@code LockFailures} and {@code FailureTracker};
 *   <li>operators: {@code LockAdmin} inspects locks; {@code ClientCard} names the process.
 * </ul>
 */
@NullMarked
package io.punctual.lock.internal.client;

import org.jspecify.annotations.NullMarked;
