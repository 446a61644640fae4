package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.LockLostException;
import io.punctual.lock.OwnedLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.timer.Timeout;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The mutexes that owners (see {@link OwnedLock}) hold, or are about to hold, in this client.
 * Thread-safe.
 */
public final class OwnedHolds {
  private final LockClient client;
  private final ConcurrentHashMap<Key, OwnedHold> holds = new ConcurrentHashMap<>();

  private record Key(Object owner, String name) {}

  /** Creates an empty set of holds. */
  public OwnedHolds(LockClient client) {
    this.client = client;
  }

  LockClient client() {
    return client;
  }

  @Nullable OwnedHold find(Object owner, String name) {
    return holds.get(new Key(owner, name));
  }

  /** Enters the mutex of this owner again, or acquires it. */
  PendingAcquisition ask(MutexLock mutex, Object owner, long waitNanos) {
    Key key = new Key(owner, mutex.name());
    while (true) {
      OwnedHold made = new OwnedHold(gone -> holds.remove(key, gone));
      OwnedHold there = holds.putIfAbsent(key, made);
      if (there == null) {
        PendingAcquisition asked = mutex.ask(waitNanos);
        return new Entering(made.acquiredBy(asked.result()), asked);
      }
      if (!there.isAcquired()) {
        return new Joining(mutex, owner, waitNanos).behind(there);
      }
      Optional<LockHandle> entered = there.enter();
      if (entered.isPresent()) {
        return new Done(CompletableFuture.completedFuture(entered));
      }
    }
  }

  private record Done(CompletableFuture<Optional<LockHandle>> result)
      implements PendingAcquisition {
    @Override
    public boolean cancel() {
      return false;
    }
  }

  private record Entering(CompletableFuture<Optional<LockHandle>> result, PendingAcquisition asked)
      implements PendingAcquisition {
    @Override
    public boolean cancel() {
      return asked.cancel();
    }
  }

  /** An attempt that waits for an earlier attempt of the same owner, and then starts. */
  private final class Joining implements PendingAcquisition {
    private final MutexLock mutex;
    private final Object owner;
    private final long waitNanos;
    private final long startNanos;
    private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();
    private volatile @Nullable PendingAcquisition asked;

    Joining(MutexLock mutex, Object owner, long waitNanos) {
      this.mutex = mutex;
      this.owner = owner;
      this.waitNanos = waitNanos;
      this.startNanos = client.nanoTime();
    }

    Joining behind(OwnedHold other) {
      other.acquired().whenComplete((got, failure) -> askNow());
      if (waitNanos < LockOptions.FOREVER) {
        Timeout end = client.after(waitNanos, () -> result.complete(Optional.empty()));
        result.whenComplete(
            (got, failure) -> {
              if (end != null) {
                end.cancel();
              }
            });
      }
      return this;
    }

    private void askNow() {
      if (result.isDone()) {
        return;
      }
      long left =
          waitNanos == LockOptions.FOREVER
              ? waitNanos
              : Math.max(0, waitNanos - (client.nanoTime() - startNanos));
      PendingAcquisition now;
      try {
        now = ask(mutex, owner, left);
      } catch (LockLostException lostMeanwhile) {
        result.completeExceptionally(lostMeanwhile);
        return;
      }
      asked = now;
      if (result.isDone()) {
        now.cancel();
      }
      now.result()
          .whenComplete(
              (got, failure) -> {
                if (failure != null) {
                  result.completeExceptionally(failure);
                } else if (!result.complete(got)) {
                  got.ifPresent(LockHandle::releaseAsync);
                }
              });
    }

    @Override
    public CompletableFuture<Optional<LockHandle>> result() {
      return result;
    }

    @Override
    public boolean cancel() {
      boolean ends =
          result.completeExceptionally(new CancellationException("The attempt was given up"));
      PendingAcquisition now = asked;
      if (ends && now != null) {
        now.cancel();
      }
      return ends;
    }
  }
}
