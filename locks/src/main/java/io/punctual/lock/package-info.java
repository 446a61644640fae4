/**
 * Distributed locks on Redis or Valkey: {@link io.punctual.lock.RedisLocks} creates them. The
 * holder of a lock is a {@link io.punctual.lock.LockHandle}, not a thread. The handle knows until
 * when it certainly holds the lock, notifies a callback when the lock is lost, and has a fencing
 * token that the guarded resource can check. Each change is a Lua script. {@code acquire.lua}
 * grants a lock; {@code acquirefree.lua} runs first and grants a free lock without waiters. The
 * script that releases a lock also passes it to the next waiter.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>locks: {@code AbstractLock} with {@code MutexLock} and the other kinds;
 *   <li>attempts: {@code Acquisition}, {@code Attempt}, {@code Cohort}, {@code WaitingRoom};
 *   <li>the server: {@code LockServer}, {@code LockScripts}, {@code LockKeys};
 *   <li>holds: {@code ServerHold}, {@code Tenure}, {@code LockLease}, {@code Watchdog};
 *   <li>quorum locks, multi locks and latches, whose names say so.
 * </ul>
 *
 * <p>Quorum and multi locks have no package of their own: they build on the client, holds, leases
 * and watchdog of the other locks, so a dozen internal types would become public for them.
 */
@NullMarked
package io.punctual.lock;

import org.jspecify.annotations.NullMarked;
