package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt to acquire that is under way. Thread-safe. */
interface Pending {
  /** Completes with the lock, with nothing if it can't be had in time, or fails. */
  CompletableFuture<Optional<LockHandle>> result();

  /**
   * Gives the attempt up: unless the result is there already, it fails, and what was acquired or
   * will be is given back.
   *
   * @return whether it was given up; otherwise the result is there, and is the caller's
   */
  boolean cancel();
}
