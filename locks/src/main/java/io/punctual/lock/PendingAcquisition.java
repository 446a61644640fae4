package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt to acquire a lock. Thread-safe. */
interface PendingAcquisition {
  /** Completes with the lock, or with empty if the wait ended before, or fails. */
  CompletableFuture<Optional<LockHandle>> result();

  /**
   * Cancels the attempt: unless the result is complete, it fails, and the attempt releases the lock
   * if it gets it.
   *
   * @return whether it was cancelled; if not, the result is complete, and the caller releases the
   *     lock
   */
  boolean cancel();
}
