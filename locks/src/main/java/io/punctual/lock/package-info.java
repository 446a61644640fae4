/**
 * Distributed locks on Redis or Valkey, which {@link io.punctual.lock.RedisLocks} creates. The
 * holder of a lock is a {@link io.punctual.lock.LockHandle}, not a thread. The handle knows the
 * time until which it certainly holds the lock, notifies a callback when the lock is lost, and has
 * a fencing token that the guarded resource can check. Each change is a Lua script. The script of
 * an acquisition begins with {@code acquirefree.lua}, which grants a free lock without waiters, and
 * continues with {@code acquire.lua} in all other cases. The script that releases a lock also
 * grants it to the next waiter.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>users open locks with {@code RedisLocks} and its {@code RedisLocksBuilder}; the interfaces
 *       and values of their API are public, all other types belong to the implementation;
 *   <li>the client, which all locks share: {@code LockClient}, {@code LockEvents}, {@code
 *       LockFailures}, {@code CallbackExecutor}, {@code HandleIds}, {@code ClientCard}, {@code
 *       ClientCards}; {@code LockAdmin} inspects locks;
 *   <li>kinds of locks: {@code AbstractLock} with {@code MutexLock}, {@code ServerLock}, {@code
 *       ServerSemaphore}, {@code ServerReadWriteLock}; {@code LockNames} and {@code LockOptions};
 *   <li>reentrant locks: {@code ReentrantMutex}, {@code OwnedHold}, {@code OwnedHolds} and {@code
 *       OwnedHandle}; {@code ThreadLock}, {@code ThreadReadWriteLock} and {@code
 *       ThreadReadWriteHolds} for Java's interfaces;
 *   <li>attempts: {@code PendingAcquisition}, {@code Acquisition} with its {@code Attempt}, {@code
 *       AttemptState}, {@code AttemptTimers}, {@code HandleState}, {@code LeaseBound}, {@code
 *       GrantConfirmation}, {@code ReplicaConfirmation} and {@code FailureTracker}; {@code
 *       Attempts} sends their requests, in the batches of {@code Coalescer} and {@code
 *       RequestBatches};
 *   <li>attempts of one client for the same mutex: {@code Cohorts}, {@code Cohort}, {@code
 *       HandOver}, {@code Tenure};
 *   <li>the server: {@code LockServer}, {@code LockScripts}, {@code LockKeys}, {@code LockReply},
 *       {@code LockReplyReader}, {@code RepeatedCall};
 *   <li>holds: {@code Hold} with {@code ServerHold}, and {@code AbstractHandle}; {@code LockLease},
 *       {@code Extension}, {@code Watchdog}, {@code ReleaseRequest};
 *   <li>quorum locks, multi locks and latches, with names that begin with {@code Quorum}, {@code
 *       Multi} and {@code Latch}.
 * </ul>
 *
 * <p>Quorum and multi locks have no package of their own: they use the client, holds, leases and
 * watchdog of the other locks, so about twelve internal types would have to be public for them.
 */
@NullMarked
package io.punctual.lock;

import org.jspecify.annotations.NullMarked;
