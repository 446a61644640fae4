package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt to acquire a lock. Thread-safe. */
interface PendingAcquisition {
  /** Completes with the lock, or with empty if the wait ended without it, or fails. */
  CompletableFuture<Optional<LockHandle>> result();

  /**
   * Cancels the attempt, unless its result is complete. The result then fails, and the attempt
   * releases the lock if the server still grants it.
   *
   * @return true if the attempt was cancelled; if false, the result is complete, and the caller
   *     releases the lock
   */
  boolean cancel();
}
