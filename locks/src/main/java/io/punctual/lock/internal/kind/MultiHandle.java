package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.AbstractHandle;
import io.punctual.lock.internal.hold.Hold;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Several locks that are held together, and lost when the first of them is lost. Thread-safe. */
final class MultiHandle extends AbstractHandle {
  private final List<Hold> handles;

  MultiHandle(List<Hold> handles) {
    this.handles = List.copyOf(handles);
  }

  @Override
  public String id() {
    return handles.stream().map(LockHandle::id).collect(Collectors.joining(","));
  }

  @Override
  public String name() {
    return handles.stream().map(LockHandle::name).collect(Collectors.joining(","));
  }

  @Override
  public long fencingToken() {
    throw new UnsupportedOperationException(
        "Each of several locks has a fencing token of its own; see fencingTokens()");
  }

  @Override
  public Map<String, Long> fencingTokens() {
    Map<String, Long> tokens = new TreeMap<>();
    handles.forEach(handle -> tokens.putAll(handle.fencingTokens()));
    return tokens;
  }

  @Override
  public boolean isHeld() {
    return handles.stream().allMatch(LockHandle::isHeld);
  }

  @Override
  public Duration remaining() {
    return handles.stream()
        .map(LockHandle::remaining)
        .min(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  @Override
  public void onLost(Consumer<? super LockHandle> callback) {
    AtomicBoolean isNotified = new AtomicBoolean();
    for (Hold handle : handles) {
      handle.onLost(
          lost -> {
            if (isNotified.compareAndSet(false, true)) {
              callback.accept(this);
            }
          });
    }
  }

  @Override
  public CompletableFuture<Boolean> prolong(Duration lease) {
    CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
    for (Hold handle : handles) {
      all = all.thenCombine(handle.prolong(lease), Boolean::logicalAnd);
    }
    return all;
  }

  @Override
  public LockClient client() {
    return handles.get(0).client();
  }

  @Override
  public CompletableFuture<ReleaseOutcome> giveBack(long keepMillis) {
    CompletableFuture<ReleaseOutcome> all =
        CompletableFuture.completedFuture(ReleaseOutcome.RELEASED);
    for (Hold handle : handles) {
      all = all.thenCombine(handle.giveBack(keepMillis), MultiHandle::worse);
    }
    return all;
  }

  private static ReleaseOutcome worse(ReleaseOutcome one, ReleaseOutcome other) {
    return one == ReleaseOutcome.LOST || other == ReleaseOutcome.RELEASED ? one : other;
  }

  @Override
  public String toString() {
    return handles.toString();
  }
}
