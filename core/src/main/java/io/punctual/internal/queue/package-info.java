/**
 * The operations of a queue, and the parts of a client that its queues share.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>shared by the queues of a client: {@code ClientParts}, {@code KnownQueues};
 *   <li>a queue: {@code QueueView}; {@code Scheduling} with {@code ScheduleRequest}, {@code
 *       ManualClaims}, {@code ReceiptSettlements}, {@code ChangeEvents};
 *   <li>look-ups and administration: {@code QueueAdmin}, {@code QueueListing}, {@code StoredEntry};
 *   <li>listings of messages: {@code Listing} with {@code PartitionCursor}, {@code NewestFirst}
 *       with {@code NewestCursor};
 *   <li>transactions: {@code Enlisted};
 *   <li>the list of workers: {@code WorkerListing}, {@code WorkerText}, {@code FiguresText}, {@code
 *       LeaseHolders}.
 * </ul>
 */
@NullMarked
package io.punctual.internal.queue;

import org.jspecify.annotations.NullMarked;
