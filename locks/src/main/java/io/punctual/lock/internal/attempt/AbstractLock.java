package io.punctual.lock.internal.attempt;

import io.punctual.lock.DistributedLock;
import io.punctual.lock.LockHandle;
import io.punctual.lock.internal.client.StackRoom;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.redis.client.request.Failures;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The methods of {@link DistributedLock} that its implementations share: they start an attempt, and
 * wait for its result. Thread-safe.
 */
public abstract class AbstractLock implements DistributedLock {
  private final String name;
  private final Executor executor;

  protected AbstractLock(String name, Executor executor) {
    this.name = name;
    this.executor = executor;
  }

  /**
   * Starts an attempt.
   *
   * @param waitNanos how long the attempt waits: 0 does not wait, {@link LockOptions#FOREVER} waits
   *     without end
   */
  public abstract PendingAcquisition ask(long waitNanos);

  /** Like {@link #ask}, for a caller that does not block its thread. */
  protected PendingAcquisition askAsync(long waitNanos) {
    return ask(waitNanos);
  }

  @Override
  public String name() {
    return name;
  }

  /** Like {@link #ask}, for a caller that may have used up its stack. */
  private PendingAcquisition begin(long waitNanos) {
    StackRoom.requireForAcquisition();
    return ask(waitNanos);
  }

  @Override
  public LockHandle acquire() throws InterruptedException {
    heedInterrupt();
    return await(begin(LockOptions.FOREVER)).orElseThrow(this::endless);
  }

  /** Like {@link #acquire}, but an interrupt does not end the wait. */
  public LockHandle acquireUninterruptibly() {
    return awaitUninterruptibly(begin(LockOptions.FOREVER)).orElseThrow(this::endless);
  }

  private IllegalStateException endless() {
    return new IllegalStateException("Lock '" + name + "' ended a wait without end");
  }

  @Override
  public Optional<LockHandle> tryAcquire() {
    return awaitUninterruptibly(begin(0));
  }

  @Override
  public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
    long waitNanos = LockOptions.waitNanos(wait);
    heedInterrupt();
    return await(begin(waitNanos));
  }

  @Override
  public CompletionStage<LockHandle> acquireAsync() {
    StackRoom.requireForAcquisition();
    return async(LockOptions.FOREVER, got -> got.orElseThrow(this::endless));
  }

  @Override
  public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
    StackRoom.requireForAcquisition();
    return async(LockOptions.waitNanos(wait), got -> got);
  }

  /**
   * Returns a future that completes on the executor. If the user cancels the future, the attempt is
   * cancelled or, if it has succeeded, the lock is released.
   */
  private <T> CompletionStage<T> async(long waitNanos, Function<Optional<LockHandle>, T> as) {
    CompletableFuture<T> future = new CompletableFuture<>();
    PendingAcquisition pending = askAsync(waitNanos);
    try {
      connect(pending, future, as);
    } catch (Throwable e) { // for example because memory is short
      giveUp(pending);
      throw e;
    }
    return future;
  }

  private <T> void connect(
      PendingAcquisition pending,
      CompletableFuture<T> future,
      Function<Optional<LockHandle>, T> as) {
    // Becomes true when the executor hands over the result, or when the user gives it up.
    AtomicBoolean isDecided = new AtomicBoolean();
    pending
        .result()
        .whenCompleteAsync(
            (got, failure) -> {
              if (!isDecided.compareAndSet(false, true)) {
                return;
              }
              if (failure != null) {
                future.completeExceptionally(Failures.unwrap(failure));
              } else {
                handOver(got, as, future);
              }
            },
            executor)
        // The result of an executor that did not take the callback, or of the attempt as above.
        .exceptionally(
            refused -> {
              future.completeExceptionally(Failures.unwrap(refused));
              return Optional.empty();
            });
    future.whenComplete(
        // Gives up the attempt if the user cancelled the future, or completed it by a time-out. The
        // executor may never run its callback, so this does not leave the release to the callback.
        (got, failure) -> {
          if (isDecided.compareAndSet(false, true)) {
            giveUp(pending);
          }
        });
  }

  /** Cancels the attempt or, if it has succeeded, releases the lock. */
  public static void giveUp(PendingAcquisition pending) {
    if (!pending.cancel()) {
      pending.result().thenAccept(got -> got.ifPresent(LockHandle::releaseAsync));
    }
  }

  private static <T> void handOver(
      Optional<LockHandle> got, Function<Optional<LockHandle>, T> as, CompletableFuture<T> future) {
    try {
      if (!future.complete(as.apply(got))) {
        got.ifPresent(LockHandle::releaseAsync);
      }
    } catch (Throwable e) { // for example because memory is short
      if (future.completeExceptionally(e)) {
        got.ifPresent(LockHandle::releaseAsync);
      }
    }
  }

  /**
   * Throws if the thread was interrupted before this call. An interrupted thread gets no lock, not
   * even a lock that it holds already.
   */
  public static void heedInterrupt() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  static Optional<LockHandle> await(PendingAcquisition pending) throws InterruptedException {
    try {
      return get(pending);
    } catch (InterruptedException e) {
      giveUp(pending);
      throw e;
    }
  }

  /** Waits for the result of an attempt. An interrupt does not end the wait. */
  private static Optional<LockHandle> awaitUninterruptibly(PendingAcquisition pending) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return get(pending);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Optional<LockHandle> get(PendingAcquisition pending) throws InterruptedException {
    try {
      return pending.result().get();
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (Error e) { // for example because memory is short
      giveUp(pending);
      throw e;
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof RuntimeException cause) {
      return cause;
    } else if (e.getCause() instanceof Error cause) {
      throw cause;
    }
    return new IllegalStateException(e.getCause());
  }
}
