package io.punctual.lock;

import java.time.Duration;

/**
 * A number of permits, shared by all processes that use the same server, database and namespace.
 * Each acquisition takes a permit, or the number that {@link #withPermits} sets, under a single
 * handle and lease. Permits are granted strictly in the order of arrival: an attempt for few
 * permits does not overtake an attempt for many.
 *
 * <p>The methods that count, add or remove permits, and {@link #release(String)}, block until the
 * server replies, and throw a {@link io.punctual.StoreUnavailableException} if it does not.
 * Implementations are immutable and safe for use by many threads.
 */
public interface DistributedSemaphore extends DistributedLock {
  /**
   * Returns the same semaphore, with acquisitions that each take this many permits, all of them or
   * none. An attempt for more permits than exist waits until enough are added, and all attempts
   * behind it wait as well.
   *
   * @param permits 1 to 10,000
   */
  DistributedSemaphore withPermits(int permits);

  /**
   * Adds permits for all clients, in addition to the number that each client sets; waiters get the
   * new permits at once. The permits stay until a call with a negative number, or {@link
   * #drainPermits}, removes them. A held permit is removed only after its release. A request that
   * is sent twice counts once.
   *
   * @param permits the number to add, or a negative number to remove
   * @return how many permits exist now, held or free
   * @throws IllegalArgumentException if the result would be negative or more than 10,000
   */
  int addPermits(int permits);

  /**
   * Removes all free permits for all clients, until {@link #addPermits} adds permits again. Held
   * permits stay with their holders.
   *
   * @return how many permits were removed
   */
  int drainPermits();

  /**
   * Returns how many permits are free now. Some of them may be about to be granted to waiting
   * attempts.
   */
  int availablePermits();

  /**
   * Releases the permits of a handle by the handle's {@linkplain LockHandle#id() id}, from any
   * process. The holder notices the loss at its next renewal or at the end of its lease.
   *
   * @return true if the handle held its permits; false if they were released before, or their lease
   *     has ended
   * @throws IllegalArgumentException if this is not the id of a semaphore's handle
   * @throws io.punctual.StoreUnavailableException if the server does not reply; the permits may
   *     have been released, and a second call does no harm
   */
  boolean release(String id);

  @Override
  DistributedSemaphore withLease(Duration lease);

  @Override
  DistributedSemaphore withReplicas(int replicas);

  @Override
  DistributedSemaphore withAllReplicas();
}
