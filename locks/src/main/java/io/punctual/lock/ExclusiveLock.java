package io.punctual.lock;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A lock that at most one handle holds at a time. Immutable. */
public interface ExclusiveLock extends DistributedLock {
  /**
   * Returns this lock as Java's interface. The lock then belongs to the thread that locked it, and
   * this thread can lock it again. {@code unlock} throws an {@link IllegalMonitorStateException} if
   * the thread does not have the lock. After a loss, {@code unlock} and a second {@code lock} throw
   * a {@link LockLostException}. {@code newCondition} is not supported.
   */
  Lock asLock();

  @Override
  ExclusiveLock withLease(Duration lease);

  @Override
  ExclusiveLock withReplicas(int replicas);

  @Override
  ExclusiveLock withAllReplicas();
}
