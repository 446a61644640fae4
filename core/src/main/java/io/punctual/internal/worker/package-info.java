/**
 * The consumers: workers and manual claims, with permits, leases, handlers and settlements.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>a worker: {@code QueueWorker} with its {@code WorkerShutdown} and {@code WorkerCounters};
 *       {@code Consumers} has all workers and manual claims of a client;
 *   <li>claims of a worker: {@code Claimers}, {@code PartitionClaimer}; {@code WakeTime} and {@code
 *       Baton}, which manual claims also use;
 *   <li>permits of a worker: {@code Pool}, {@code Permits}, {@code ClaimThrottle}, {@code Batches};
 *   <li>messages that wait for a free handler: {@code WorkerPrefetch}, {@code WaitingMessage},
 *       {@code PrefetchLeases};
 *   <li>manual claims: {@code ManualClaim} with its {@code ClaimCaller} and {@code ClaimResult},
 *       {@code ClaimLine} and {@code ClaimLines}, {@code Prefetch}; {@code ClaimMode} with {@code
 *       AtLeastOnce} and {@code AtMostOnce}, whose messages {@code PutBack} and {@code Rejects}
 *       return;
 *   <li>claimed messages: {@code Intake} with {@code FailureRules}, {@code ClaimedMessage}, {@code
 *       ClaimLease};
 *   <li>handlers: {@code Handlers} with a {@code HandlerRun} for each call, {@code HandlerCall},
 *       {@code HandlerStage}, {@code Runner}, {@code StartWatch}; {@code HandlerThreads} and {@code
 *       HandlerPool} are their threads;
 *   <li>the dead handler: {@code DeadCall}, {@code ManualDeadCalls}, {@code Death};
 *   <li>leases: {@code HeldLease}, {@code LossWatch}, {@code LeaseKeeper};
 *   <li>settlements: {@code ClientDelivery} with its {@code Settlements}, {@code Occurrence} and
 *       {@code Settling}; {@code LockedSettlement} and {@code CommitProbe} for settlements in
 *       transactions; {@code TokenSettlement} for other processes.
 * </ul>
 *
 * <p>Workers and manual claims share most of these classes. Separate packages for them would make a
 * dozen internal types public.
 */
@NullMarked
package io.punctual.internal.worker;

import org.jspecify.annotations.NullMarked;
