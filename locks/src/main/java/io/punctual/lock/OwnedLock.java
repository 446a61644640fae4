package io.punctual.lock;

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

  /**
   * Returns how many times the owner has entered the lock and not left it; 0 if it does not have
   * the lock, and once the lock is lost. Asks this client only.
   */
  int holdCount();

  /** Returns whether the owner surely has the lock now. */
  boolean isHeldByOwner();

  @Override
  OwnedLock withLease(Duration lease);

  @Override
  OwnedLock withReplicas(int replicas);

  @Override
  OwnedLock withAllReplicas();
}
