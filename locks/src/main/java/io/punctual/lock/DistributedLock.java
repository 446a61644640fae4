package io.punctual.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock by name, shared by all processes that use the same server, database and namespace. Each
 * acquisition is a {@link LockHandle} of its own: the handle owns the lock, so a second acquisition
 * by the same thread waits like any other (but see {@link RedisLocks#reentrant}).
 *
 * <p>A request without a reply is sent again, which is harmless. While the server can't be reached,
 * acquiring waits for it: {@link #tryAcquire()} for the time-outs of a command, {@link
 * #tryAcquire(Duration)} for as long as the wait, {@link #acquire} for a minute. It then fails with
 * a {@link io.punctual.StoreUnavailableException}, does not hold the lock, and does not acquire it
 * later. An empty result always means that the server answered: a different handle holds the lock.
 *
 * <p>Implementations are immutable and safe for use by many threads.
 */
public interface DistributedLock {
  /** Returns the name. */
  String name();

  /**
   * Returns the same lock with a lease of the caller's own: it is never renewed, and ends when the
   * time has passed.
   *
   * @param lease 10 milliseconds to 30 days
   */
  DistributedLock withLease(Duration lease);

  /**
   * Returns the same lock with acquisitions that this many replicas confirm. Without their
   * confirmation an acquisition is undone, and fails with a {@link
   * io.punctual.NotConfirmedException}.
   *
   * @param replicas 0 to 100
   */
  DistributedLock withReplicas(int replicas);

  /**
   * As {@link #withReplicas}, with all replicas connected at the time of the acquisition, at least
   * 1.
   */
  DistributedLock withAllReplicas();

  /**
   * Waits for the lock. After an interrupt the caller does not hold the lock, and this call does
   * not acquire it later.
   */
  LockHandle acquire() throws InterruptedException;

  /** Acquires the lock if it is free. */
  Optional<LockHandle> tryAcquire();

  /**
   * Waits for the lock up to this time; returns empty after that. A wait of less than 100
   * milliseconds lasts up to 100 milliseconds if the server's first answer takes that long.
   *
   * @param wait 0 to 365 days
   * @throws io.punctual.StoreUnavailableException if the server is silent at the end of the wait:
   *     if it has answered nothing, or nothing for a second
   * @throws io.punctual.NotConfirmedException if the wait ends before the replicas have confirmed
   */
  Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * As {@link #acquire}, without a blocked thread. Cancelling the future ends the attempt.
   * Completes on the executor of the {@link RedisLocks}.
   */
  CompletionStage<LockHandle> acquireAsync();

  /** As {@link #tryAcquire(Duration)}, without a blocked thread; see {@link #acquireAsync()}. */
  CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait);
}
