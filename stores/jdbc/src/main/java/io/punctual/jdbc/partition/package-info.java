/**
 * The messages of a queue in the tables, and the calls that change them. The package is not
 * exported.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>the calls of a queue: {@code JdbcPartition}; {@code CallSequence} puts calls in order, on a
 *       {@code LimitedExecutor} of the {@code StoreThreads}; {@code JdbcCalls} executes each of
 *       them once, and keeps a {@code KeptAnswer};
 *   <li>claims: {@code Claiming} leases messages, with the statements of {@code Candidates}; {@code
 *       ClaimState} remembers where the last claim looked, and {@code SweepPace} when it looks at
 *       all messages; {@code QueueLimit} applies the limits, and {@code Duty} wakes up claimers;
 *   <li>operations: {@code Applying} with {@code RowTable} and {@code Row}; {@code Messages} and
 *       {@code Inserts} have the statements, and {@code StatementSize} finds contents that are too
 *       large for a statement; {@code PatientApplying} waits for locked messages, with a {@code
 *       LockWatch} and the {@code CallDurations}, and {@code SplitApplying} goes around them;
 *       {@code Enlisting} joins a transaction of the application, on a {@code JoinedConnection};
 *   <li>queues: {@code Queues}, {@code QueueRow}, {@code QueueChanges}, {@code PauseNotes}, {@code
 *       QueueChangedException};
 *   <li>look-ups: {@code LookUps}, {@code InTimeOrder} with a {@code Position}, {@code UntilNext}
 *       with {@code KnownTimes}, {@code SharedCounts}, {@code ManyCounts};
 *   <li>removal: {@code Purging}, {@code FinishedIdCleanup}; {@code Announcements} lists the
 *       workers of clients.
 * </ul>
 *
 * <p>The groups are one package, because they share classes that need not be public, such as {@code
 * Messages} and {@code QueueRow}. {@code StoreParts} has what the partitions of a store share.
 */
@NullMarked
package io.punctual.jdbc.partition;

import org.jspecify.annotations.NullMarked;
