package io.punctual.lock.internal.hold;

import io.punctual.lock.LockHandle;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.StackRoom;
import io.punctual.lock.internal.protocol.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The methods of {@link LockHandle} that its implementations share. The blocking methods wait for
 * the result of a release or an extension; the asynchronous methods return a future that completes
 * on the executor.
 */
public abstract class AbstractHandle implements LockHandle {
  public abstract LockClient client();

  /**
   * Releases the lock; the future does not fail.
   *
   * @param keepMillis for how long the lock stays taken on the server; 0 frees it at once
   */
  public abstract CompletableFuture<ReleaseOutcome> giveBack(long keepMillis);

  /**
   * Extends the lease; completes with true if the lock is held, with false if not, and fails if the
   * extension is not confirmed.
   */
  public abstract CompletableFuture<Boolean> prolong(Duration lease);

  @Override
  public final ReleaseOutcome release() {
    StackRoom.requireForRelease();
    return await(client(), giveBack(0));
  }

  @Override
  public final CompletionStage<ReleaseOutcome> releaseAsync() {
    StackRoom.requireForRelease();
    return giveBack(0).thenApplyAsync(outcome -> outcome, client().executor());
  }

  @Override
  public final ReleaseOutcome releaseAfter(Duration keep) {
    StackRoom.requireForRelease();
    return await(client(), giveBack(LockOptions.keepMillis(keep)));
  }

  @Override
  public final boolean extend(Duration lease) {
    StackRoom.requireForRelease();
    return await(prolong(lease));
  }

  @Override
  public final CompletionStage<Boolean> extendAsync(Duration lease) {
    StackRoom.requireForRelease();
    return prolong(lease).thenApplyAsync(isHeld -> isHeld, client().executor());
  }

  @Override
  public final void close() {
    release();
  }

  /**
   * Waits for an outcome. Returns UNCONFIRMED if there is none within the command time-out. An
   * interrupt does not end the wait.
   */
  public static ReleaseOutcome await(LockClient client, CompletableFuture<ReleaseOutcome> outcome) {
    boolean interrupted = false;
    long end = System.nanoTime() + client.deployment().settings().commandTimeout().toNanos();
    try {
      while (true) {
        try {
          return outcome.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          return ReleaseOutcome.UNCONFIRMED;
        } catch (ExecutionException e) {
          throw new IllegalStateException(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for the result of an extension. An interrupt does not end the wait. */
  private static boolean await(CompletableFuture<Boolean> extended) {
    try {
      return extended.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
