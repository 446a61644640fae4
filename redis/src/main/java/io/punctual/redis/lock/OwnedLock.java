package io.punctual.redis.lock;

import java.time.Duration;

/**
 * An exclusive lock that its owner can enter again: the same token, and the lock is given back with
 * the last handle. The owner is the thread that acquires, unless {@link #ownedBy} names another.
 * The same lock as a mutex of this name. Immutable.
 */
public interface OwnedLock extends ExclusiveLock {
  /**
   * Returns the same lock for another owner, compared by {@code equals}: for asynchronous and
   * reactive code, where a thread means nothing. Owners are told apart within one {@link
   * RedisLocks}.
   */
  OwnedLock ownedBy(Object owner);

  @Override
  OwnedLock withLease(Duration lease);

  @Override
  OwnedLock withReplicas(int replicas);

  @Override
  OwnedLock withAllReplicas();
}
