package io.punctual.lock;

import java.time.Duration;

/**
 * An exclusive lock that its owner can enter again, with the same fencing token. The release of the
 * owner's last handle releases the lock. The owner is the thread that acquires the lock, unless
 * {@link #ownedBy} sets an owner. On the server, it is the same lock as the mutex of this name.
 * Immutable.
 */
public interface OwnedLock extends ExclusiveLock {
  /**
   * Returns the same lock for this owner. Owners are compared by {@code equals}, and are known only
   * within a {@link RedisLocks}. Set an owner in asynchronous and reactive code, in which threads
   * own no locks.
   */
  OwnedLock ownedBy(Object owner);

  /**
   * Returns how many handles of the owner hold the lock; 0 if the owner does not hold the lock or
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
