/**
 * Distributed locks on Redis or Valkey, which {@link io.punctual.lock.RedisLocks} creates. The
 * holder of a lock is a {@link io.punctual.lock.LockHandle}, not a thread. The handle knows the
 * time until which it certainly holds the lock, and notifies a callback when the lock is lost.
 * Mutexes and read-write locks have fencing tokens, which the guarded resource can check.
 *
 * <p>Users open locks with {@code RedisLocks} and its {@code RedisLocksBuilder}, or {@code
 * QuorumLocks} on several servers. {@code RedisLocks} returns the kinds of locks: {@code
 * DistributedLock} with {@code ExclusiveLock} and {@code OwnedLock}, {@code
 * DistributedReadWriteLock}, {@code DistributedSemaphore}, and the {@code DistributedLatch}. {@code
 * LockInfo}, {@code LockEvent} and {@code LockCounters} report the use of locks.
 *
 * <p>The implementation is in {@code io.punctual.lock.internal}, in these layers from the top:
 *
 * <ul>
 *   <li>{@code quorum}: locks on a majority of several servers;
 *   <li>{@code kind}: the kinds of locks on one server;
 *   <li>{@code attempt}: attempts to acquire a lock, from the first request to the grant;
 *   <li>{@code hold}: acquired locks, their leases, renewals and releases;
 *   <li>{@code client}: the client of a deployment, its requests, failures and events;
 *   <li>{@code protocol}: keys, ids, scripts and replies.
 * </ul>
 */
@NullMarked
package io.punctual.lock;

import org.jspecify.annotations.NullMarked;
