/**
 * The client behind {@code Punctual}: its queues, schedules and administration, and the store's
 * URL.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>the client: {@code Client}, {@code KnownQueues}, {@code QueueListing}, {@code
 *       QueueDeletion};
 *   <li>opening a store: {@code ClientUrl}, {@code OpeningRule}, {@code StoreOpening}; {@code
 *       LateStore} and {@code LatePartition} stand for a store that is not open yet;
 *   <li>a queue: {@code ClientQueue} with a {@code QueueView}; {@code Scheduling} with {@code
 *       ScheduleRequest}, {@code ManualClaims}, {@code TokenSettling}, {@code ChangeEvents};
 *   <li>administration of a queue: {@code QueueAdmin}, {@code PartitionCursor}, {@code
 *       StoredEntry}, {@code LeaseHolders};
 *   <li>transactions: {@code Enlisted}, {@code TransactionCalls};
 *   <li>dead letters: {@code ClientDeadLetters}, {@code ClientDeadLetterTask}, {@code
 *       DeadLetterScan}, {@code DeadLetterListing}, {@code DeadLetterGrouping}; {@code
 *       RetentionLoop} and {@code RetentionRun} delete old ones; {@code Pace} limits their rates;
 *   <li>the list of workers: {@code Presence}, {@code WorkerText}.
 * </ul>
 *
 * <p>The groups are one package, because they use each other in cycles: the client creates queues,
 * a queue has dead letters, and the dead letters are read through the view of a queue.
 */
@NullMarked
package io.punctual.internal.client;

import org.jspecify.annotations.NullMarked;
