package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.OwnedLock;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.AbstractHandle;
import io.punctual.lock.internal.hold.Hold;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The handle that an owner gets for one entry into its mutex; see {@link OwnedLock}. Thread-safe.
 */
final class OwnedHandle extends AbstractHandle {
  private final OwnedMutex owned;
  private final Hold hold;
  private @Nullable CompletableFuture<ReleaseOutcome> outcome;

  OwnedHandle(OwnedMutex owned, Hold hold) {
    this.owned = owned;
    this.hold = hold;
  }

  @Override
  public LockClient client() {
    return hold.client();
  }

  private synchronized boolean isGivenBack() {
    return outcome != null;
  }

  private synchronized boolean isGivenBackInTime() {
    return outcome != null && outcome.getNow(null) != ReleaseOutcome.LOST;
  }

  @Override
  public synchronized CompletableFuture<ReleaseOutcome> giveBack(long keepMillis) {
    if (outcome == null) {
      outcome = owned.leave(keepMillis);
    }
    return outcome;
  }

  @Override
  public String id() {
    return hold.id();
  }

  @Override
  public String name() {
    return hold.name();
  }

  @Override
  public long fencingToken() {
    return hold.fencingToken();
  }

  @Override
  public Map<String, Long> fencingTokens() {
    return hold.fencingTokens();
  }

  @Override
  public boolean isHeld() {
    return !isGivenBack() && hold.isHeld();
  }

  @Override
  public Duration remaining() {
    return isGivenBack() ? Duration.ZERO : hold.remaining();
  }

  @Override
  public void onLost(Consumer<? super LockHandle> callback) {
    hold.onLost(
        lost -> {
          if (!isGivenBackInTime()) {
            callback.accept(this);
          }
        });
  }

  @Override
  public CompletableFuture<Boolean> prolong(Duration lease) {
    return isGivenBack() ? CompletableFuture.completedFuture(false) : hold.prolong(lease);
  }

  @Override
  public String toString() {
    return hold.toString();
  }
}
