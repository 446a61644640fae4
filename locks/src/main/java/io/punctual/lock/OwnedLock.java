package io.punctual.lock;

import java.time.Duration;

/**
 * An exclusive lock that its owner can enter again, with the same token; the release of its last
 * handle releases the lock. The owner is the thread that acquires, unless {@link #ownedBy} sets an
 * owner. It is the same lock as a mutex of this name. Immutable.
 */
public interface OwnedLock extends ExclusiveLock {
  /**
   * Returns the same lock for this owner, compared by {@code equals}: for asynchronous and reactive
   * code, in which threads own nothing. An owner is known within a {@link RedisLocks} only.
   */
  OwnedLock ownedBy(Object owner);

  /**
   * Returns how many handles of the owner hold the lock; 0 if the owner does not hold the lock, or
   * has lost it. Sends no request.
   */
  int holdCount();

  /** Returns whether the owner certainly holds the lock now. */
  boolean isHeldByOwner();

  @Override
  OwnedLock withLease(Duration lease);

  @Override
  OwnedLock withReplicas(int replicas);

  @Override
  OwnedLock withAllReplicas();
}
