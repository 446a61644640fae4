/**
 * The consumers: workers and manual claims, with permits, leases, handlers and settlements.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>claims: {@code PartitionClaimer} for workers, {@code ClaimLine} and {@code ManualClaim} for
 *       callers, {@code ClaimMode} with its two implementations, {@code PutBack};
 *   <li>claimed messages: {@code Intake}, {@code WorkerPrefetch}, {@code Batches}, {@code
 *       Admission}, {@code Permits};
 *   <li>handlers: {@code HandlerPool}, {@code HandlerRun}, {@code HandlerCall}, {@code StartWatch};
 *   <li>leases and settlements: {@code HeldLease}, {@code LeaseKeeper}, {@code ClientDelivery},
 *       {@code DeadCall};
 *   <li>the worker itself: {@code QueueWorker}, {@code Consumers}, {@code WorkerShutdown}.
 * </ul>
 *
 * <p>Workers and manual claims share most of these classes. Separate packages for them would make a
 * dozen internal types public.
 */
@NullMarked
package io.punctual.internal.worker;

import org.jspecify.annotations.NullMarked;
