package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.LockLostException;
import io.punctual.lock.OwnedLock;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.attempt.ServerAcquisition;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.hold.Hold;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A mutex that an owner (see {@link OwnedLock}) holds or is about to hold, and the number of times
 * that the owner has entered it. Thread-safe.
 */
final class OwnedMutex {
  private final Consumer<OwnedMutex> remove;
  private final CompletableFuture<Boolean> acquired = new CompletableFuture<>();
  private volatile @Nullable FailureTracker failures;
  private @Nullable Hold hold;
  private int entered;

  /**
   * Creates a hold that has yet to be acquired.
   *
   * @param remove called when the owner did not get the mutex, or has left it for the last time
   */
  OwnedMutex(Consumer<OwnedMutex> remove) {
    this.remove = remove;
  }

  /** Takes over the result of an acquisition; returns the handle of the first entry. */
  CompletableFuture<Optional<LockHandle>> acquiredBy(ServerAcquisition asked) {
    failures = asked.failures();
    // The owner gets the handle last: it may enter again at once, which depends on the other steps.
    return asked
        .result()
        .thenApply(got -> got.map(one -> entered((Hold) one)))
        .whenComplete(
            (got, failure) -> {
              boolean has = failure == null && got.isPresent();
              if (!has) {
                remove.accept(this);
              }
              acquired.complete(has);
            });
  }

  /** Ends the hold, because the acquisition could not be started. */
  void abandoned() {
    remove.accept(this);
    acquired.complete(false);
  }

  private synchronized LockHandle entered(Hold got) {
    hold = got;
    entered = 1;
    return new OwnedHandle(this, got);
  }

  /**
   * Completes with true when the mutex is acquired, or with false when the attempt ends without the
   * mutex; does not fail.
   */
  CompletableFuture<Boolean> acquired() {
    return acquired;
  }

  /** Returns the failures of the acquisition's requests; null before the first request. */
  @Nullable FailureTracker failures() {
    return failures;
  }

  /** Returns the number of entries; 0 if the mutex is not held. */
  synchronized int count() {
    return hold != null && hold.isHeld() ? entered : 0;
  }

  boolean isAcquired() {
    return acquired.isDone();
  }

  /**
   * Enters the mutex again; returns empty if the mutex was not acquired, or was released in the
   * meantime.
   *
   * @throws LockLostException if the mutex was lost
   */
  synchronized Optional<LockHandle> enter() {
    Hold has = hold;
    if (has == null || entered == 0) {
      return Optional.empty();
    }
    if (!has.isHeld()) {
      throw new LockLostException(
          "Lock '" + has.name() + "' was lost; give it back before it is acquired again");
    }
    entered++;
    return Optional.of(new OwnedHandle(this, has));
  }

  /**
   * Undoes an entry; the future does not fail. If no entry remains, the mutex is released.
   *
   * @param keepMillis for how long the mutex then stays taken on the server; 0 frees it at once
   */
  CompletableFuture<ReleaseOutcome> leave(long keepMillis) {
    Hold has;
    boolean isLast;
    synchronized (this) {
      has = hold;
      if (has == null || entered == 0) {
        return CompletableFuture.completedFuture(ReleaseOutcome.LOST);
      }
      isLast = --entered == 0;
    }
    if (isLast) {
      remove.accept(this);
      return has.giveBack(keepMillis);
    }
    return CompletableFuture.completedFuture(
        has.isHeld() ? ReleaseOutcome.STILL_HELD : ReleaseOutcome.LOST);
  }
}
