package io.punctual.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One entry of an owner into its mutex. Thread-safe. */
final class OwnedHandle implements LockHandle {
  private final OwnedHold owned;
  private final Hold hold;
  private @Nullable CompletableFuture<ReleaseOutcome> outcome;

  OwnedHandle(OwnedHold owned, Hold hold) {
    this.owned = owned;
    this.hold = hold;
  }

  private synchronized boolean isGivenBack() {
    return outcome != null;
  }

  private synchronized boolean isGivenBackInTime() {
    return outcome != null && outcome.getNow(null) != ReleaseOutcome.LOST;
  }

  private synchronized CompletableFuture<ReleaseOutcome> leave(long keepMillis) {
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
  public ReleaseOutcome release() {
    return release(0);
  }

  private ReleaseOutcome release(long keepMillis) {
    return Hold.await(leave(keepMillis), hold.client().deployment().settings().commandTimeout());
  }

  @Override
  public ReleaseOutcome releaseAfter(Duration keep) {
    return release(LockOptions.keepMillis(keep));
  }

  @Override
  public boolean extend(Duration lease) {
    return Extension.await(prolong(lease));
  }

  @Override
  public CompletionStage<Boolean> extendAsync(Duration lease) {
    return prolong(lease).thenApplyAsync(held -> held, hold.client().executor());
  }

  private CompletableFuture<Boolean> prolong(Duration lease) {
    return isGivenBack() ? CompletableFuture.completedFuture(false) : hold.prolong(lease);
  }

  @Override
  public CompletionStage<ReleaseOutcome> releaseAsync() {
    return leave(0).thenApplyAsync(came -> came, hold.client().executor());
  }

  @Override
  public void close() {
    release();
  }

  @Override
  public String toString() {
    return hold.toString();
  }
}
