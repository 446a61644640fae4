/**
 * Distributed locks on Redis or Valkey: {@link io.punctual.lock.RedisLocks} makes them. Who holds a
 * lock is a {@link io.punctual.lock.LockHandle}, not a thread; it knows until when it surely holds
 * it, is told when it lost it, and has a fencing token that the guarded resource can check. Each
 * change is one Lua script, found beside these classes, and a lock passes to the next waiter inside
 * the script that gives it back.
 */
@NullMarked
package io.punctual.lock;

import org.jspecify.annotations.NullMarked;
