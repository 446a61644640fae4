package io.punctual.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock by name, shared by all processes that use the same server, database and namespace. Each
 * acquisition is a {@link LockHandle} of its own: whoever has a handle has the lock, so that a
 * second acquisition by the same thread waits like any other (but see {@link
 * RedisLocks#reentrant}).
 *
 * <p>A question without an answer is asked again, which is harmless. While the server can't be
 * reached, acquiring waits for it: {@link #tryAcquire()} for the time-outs of a command, {@link
 * #tryAcquire(Duration)} for as long as the wait, {@link #acquire} for a minute. It then fails with
 * a {@link io.punctual.StoreUnavailableException}, and the lock is not held, nor will it be. An
 * empty result always means that the server answered: others have the lock.
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
   * Returns the same lock; an acquisition is undone, and fails with a {@link
   * io.punctual.NotConfirmedException}, when so many replicas do not confirm that they have it.
   *
   * @param replicas 0 to 100
   */
  DistributedLock withReplicas(int replicas);

  /** As {@link #withReplicas}, for all that are connected when it is acquired, one at least. */
  DistributedLock withAllReplicas();

  /** Waits until it is acquired. Interrupted, the lock is not held, nor will it be. */
  LockHandle acquire() throws InterruptedException;

  /** Acquires it if nobody has it. */
  Optional<LockHandle> tryAcquire();

  /**
   * Waits until it is acquired, and no longer than this; then empty. A wait of less than 100
   * milliseconds lasts up to 100 milliseconds if the server's first answer takes that long.
   *
   * @param wait 0 to 365 days
   * @throws io.punctual.StoreUnavailableException if the server is silent at the end of the wait:
   *     if it has answered nothing, or nothing for a second
   * @throws io.punctual.NotConfirmedException if the wait ends before the replicas have confirmed
   */
  Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * As {@link #acquire}, holding no thread. Cancelling the future gives the lock up. Completes on
   * the executor of the {@link RedisLocks}.
   */
  CompletionStage<LockHandle> acquireAsync();

  /** As {@link #tryAcquire(Duration)}, holding no thread; see {@link #acquireAsync()}. */
  CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait);
}
