package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A mutex of one owner, and how many times it was entered. Thread-safe. */
final class OwnedHold {
  private final Consumer<OwnedHold> remove;
  private final CompletableFuture<Boolean> acquired = new CompletableFuture<>();
  private @Nullable Hold hold;
  private int entered;

  /** Creates one that is yet to be acquired, and calls {@code remove} at its end. */
  OwnedHold(Consumer<OwnedHold> remove) {
    this.remove = remove;
  }

  /** Takes the result of acquiring it, and returns that of entering it. */
  CompletableFuture<Optional<LockHandle>> acquiredBy(
      CompletableFuture<Optional<LockHandle>> result) {
    CompletableFuture<Optional<LockHandle>> entering =
        result.thenApply(got -> got.map(one -> entered((Hold) one)));
    entering.whenComplete(
        (got, failure) -> {
          boolean has = failure == null && got.isPresent();
          if (!has) {
            remove.accept(this);
          }
          acquired.complete(has);
        });
    return entering;
  }

  private synchronized LockHandle entered(Hold got) {
    hold = got;
    entered = 1;
    return new OwnedHandle(this, got);
  }

  /** Completes once it is known whether it is acquired; does not fail. */
  CompletableFuture<Boolean> acquired() {
    return acquired;
  }

  /** Returns how many entries there are; 0 if it is not held. */
  synchronized int count() {
    return hold != null && hold.isHeld() ? entered : 0;
  }

  boolean isAcquired() {
    return acquired.isDone();
  }

  /**
   * Enters it again; empty if it has been given back.
   *
   * @throws LockLostException if it is lost
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

  /** Leaves it once; does not fail. */
  CompletableFuture<ReleaseOutcome> leave() {
    return leave(0);
  }

  /** Leaves it once; the last to leave it keeps it for so long. */
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
