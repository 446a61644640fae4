package io.punctual.lock.internal.attempt;

import io.punctual.lock.LockHandle;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt to acquire a lock. Thread-safe. */
public interface PendingAcquisition {
  /**
   * Returns the result: the handle of the lock, or empty if the wait ended without the lock. The
   * future can fail.
   */
  CompletableFuture<Optional<LockHandle>> result();

  /**
   * Cancels the attempt, unless its result is complete. A cancelled attempt's result fails; if the
   * server grants the lock later, the attempt releases it.
   *
   * @return true if the attempt was cancelled; if false, the result is complete, and the caller
   *     releases the lock if the result has one
   */
  boolean cancel();
}
