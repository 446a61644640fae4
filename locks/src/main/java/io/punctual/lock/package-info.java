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
 *   <li>locks: {@code AbstractLock} with {@code MutexLock} and the other kinds;
 *   <li>attempts: {@code Acquisition}, {@code Attempt}, {@code Cohort}, {@code WaitingRoom};
 *   <li>the server: {@code LockServer}, {@code LockScripts}, {@code LockKeys};
 *   <li>holds: {@code ServerHold}, {@code Tenure}, {@code LockLease}, {@code Watchdog};
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
