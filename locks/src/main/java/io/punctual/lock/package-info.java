/**
 * Distributed locks on Redis or Valkey: {@link io.punctual.lock.RedisLocks} creates them. The
 * holder of a lock is a {@link io.punctual.lock.LockHandle}, not a thread. The handle knows until
 * when it certainly holds the lock, notifies a callback when the lock is lost, and has a fencing
 * token that the guarded resource can check. Each change is a Lua script. The script that releases
 * a lock also passes it to the next waiter.
 *
 * <p>Quorum and multi locks have no package of their own: they build on the client, holds, leases
 * and watchdog of the other locks, so a dozen internal types would become public for them.
 */
@NullMarked
package io.punctual.lock;

import org.jspecify.annotations.NullMarked;
