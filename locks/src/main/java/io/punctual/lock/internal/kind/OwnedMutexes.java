package io.punctual.lock.internal.kind;

import io.punctual.lock.LockHandle;
import io.punctual.lock.OwnedLock;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.attempt.ServerAcquisition;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.timer.Timeout;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The mutexes that owners (see {@link OwnedLock}) hold, or are about to hold, in this client.
 * Thread-safe.
 */
public final class OwnedMutexes {
  /** The pause before a look at an earlier attempt that has not sent its first request yet. */
  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LockClient client;
  private final ConcurrentHashMap<Key, OwnedMutex> holds = new ConcurrentHashMap<>();

  private record Key(Object owner, String name) {}

  /** Creates an empty set of holds. */
  public OwnedMutexes(LockClient client) {
    this.client = client;
  }

  LockClient client() {
    return client;
  }

  @Nullable OwnedMutex find(Object owner, String name) {
    return holds.get(new Key(owner, name));
  }

  /** Enters the mutex of this owner again, or acquires it. */
  PendingAcquisition ask(MutexLock mutex, Object owner, long waitNanos) {
    Key key = new Key(owner, mutex.name());
    while (true) {
      OwnedMutex made = new OwnedMutex(gone -> holds.remove(key, gone));
      OwnedMutex there = holds.putIfAbsent(key, made);
      if (there == null) {
        return enter(made, mutex, waitNanos);
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

  private static PendingAcquisition enter(OwnedMutex made, MutexLock mutex, long waitNanos) {
    @Nullable ServerAcquisition asked = null;
    try {
      asked = mutex.ask(waitNanos);
      return new Entering(made.acquiredBy(asked), asked);
    } catch (Throwable e) { // otherwise later attempts of the owner would wait for this one
      made.abandoned();
      if (asked != null) {
        AbstractLock.giveUp(asked);
      }
      throw e;
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

  /**
   * An attempt that waits for an earlier attempt of the same owner, and then starts. If the wait
   * ends before that, its result depends on the requests of the earlier attempt: it fails if the
   * server does not reply to them, and is empty otherwise.
   */
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

    Joining behind(OwnedMutex other) {
      other.acquired().whenComplete((got, failure) -> askNow());
      if (waitNanos < LockOptions.FOREVER) {
        endIn(waitNanos, other);
      }
      return this;
    }

    private void endIn(long nanos, OwnedMutex other) {
      Timeout end = client.after(nanos, () -> timeUp(other));
      if (end == null) {
        result.completeExceptionally(LockFailures.closed());
      } else {
        result.whenComplete((got, failure) -> end.cancel());
      }
    }

    private void timeUp(OwnedMutex other) {
      if (asked != null) {
        return; // This attempt has started, and ends by itself.
      }
      long now = client.nanoTime();
      FailureTracker failures = other.failures();
      long patience = failures == null ? MOMENT_NANOS : failures.firstAnswerIn(now);
      if (patience > 0 || failures == null) {
        endIn(patience, other);
        return;
      }
      Throwable silence = failures.failureOrSilence(now);
      if (silence == null) {
        result.complete(Optional.empty());
      } else {
        String failed = "Lock '" + mutex.name() + "' was not acquired";
        result.completeExceptionally(LockFailures.explain(client, failed, silence));
      }
    }

    private long leftNanos() {
      if (waitNanos == 0 || waitNanos == LockOptions.FOREVER) {
        return waitNanos;
      }
      // At least 1, because an attempt with a wait of 0 may wait for a reply beyond the end.
      return Math.max(1, waitNanos - (client.nanoTime() - startNanos));
    }

    private void askNow() {
      if (result.isDone()) {
        return;
      }
      PendingAcquisition now;
      try {
        now = ask(mutex, owner, leftNanos());
      } catch (Throwable e) { // for example because the mutex was lost meanwhile
        result.completeExceptionally(e);
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
