package io.punctual.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock with a name, shared by all processes that use the same server, database and namespace.
 * Each acquisition has its own {@link LockHandle}, which owns the lock. So a second acquisition by
 * the same thread waits like the acquisition of any other thread; only {@linkplain
 * RedisLocks#reentrant reentrant locks} differ.
 *
 * <p>A request without a reply is sent again, which is harmless. While the server can't be reached,
 * an acquisition waits for the server: {@link #tryAcquire()} for the sum of the time-outs of a
 * command, of connecting and of the durability, {@link #tryAcquire(Duration)} for the time of the
 * wait, {@link #acquire} for a minute. ({@link #tryAcquire()} of a quorum lock waits for a second
 * at most.) Then the acquisition fails with a {@link io.punctual.StoreUnavailableException}; the
 * caller does not hold the lock, and will not get it later. An empty result means that other
 * handles held the lock, not that the server is unreachable.
 *
 * <p>Implementations are immutable and safe for use by many threads.
 */
public interface DistributedLock {
  /** Returns the name. */
  String name();

  /**
   * Returns the same lock with a lease of fixed length, which is never renewed.
   *
   * @param lease 10 milliseconds to 30 days
   */
  DistributedLock withLease(Duration lease);

  /**
   * Returns the same lock, whose acquisitions must be confirmed by this many replicas. Without
   * their confirmation an acquisition is undone, and fails with a {@link
   * io.punctual.NotConfirmedException}.
   *
   * @param replicas 0 to 100; 0 needs no confirmation by replicas
   * @throws UnsupportedOperationException for a quorum lock
   */
  DistributedLock withReplicas(int replicas);

  /**
   * Like {@link #withReplicas}, with the number of replicas that are connected at the time of the
   * acquisition, at least 1.
   */
  DistributedLock withAllReplicas();

  /**
   * Waits for the lock. After an interrupt, the caller does not hold the lock, and will not get it
   * later.
   */
  LockHandle acquire() throws InterruptedException;

  /** Acquires the lock if it is free; otherwise returns empty, without waiting for its release. */
  Optional<LockHandle> tryAcquire();

  /**
   * Waits for the lock, at most for this time. Returns empty if the time passes without the lock. A
   * wait of less than 100 milliseconds lasts up to 100 milliseconds if the server's first reply
   * takes that long.
   *
   * @param wait 0 to 365 days
   * @throws io.punctual.StoreUnavailableException if at the end of the wait the server has not
   *     replied at all or has been silent for a second, or the last request has failed
   * @throws io.punctual.NotConfirmedException if the wait ends before the replicas have confirmed
   *     the acquisition
   */
  Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * Like {@link #acquire}, without blocking the thread. Cancelling the future ends the attempt.
   * Completes on the executor of the {@link RedisLocks}.
   */
  CompletionStage<LockHandle> acquireAsync();

  /**
   * Like {@link #tryAcquire(Duration)}, without blocking the thread; see {@link #acquireAsync()}.
   */
  CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait);
}
