package io.punctual.internal.runtime;

import io.punctual.timer.DueTimer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repeats an asynchronous step until its result is false or it fails. Steps that complete at once
 * do not grow the stack, so any number of steps is safe. Thread-safe.
 */
public final class AsyncLoop {
  private final Supplier<? extends CompletionStage<Boolean>> step;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  private AsyncLoop(Supplier<? extends CompletionStage<Boolean>> step) {
    this.step = step;
  }

  /** Runs the steps in sequence; the future fails with the first failure of a step. */
  public static CompletableFuture<@Nullable Void> run(
      Supplier<? extends CompletionStage<Boolean>> step) {
    AsyncLoop loop = new AsyncLoop(step);
    loop.next();
    return loop.end;
  }

  /**
   * Returns the result of a step that only waits: completes with true after this time, or fails if
   * the timer is closed.
   */
  public static CompletionStage<Boolean> pause(DueTimer timer, long nanos) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try {
      timer.schedule(nanos, () -> over.complete(true));
    } catch (RejectedExecutionException timerClosed) {
      return CompletableFuture.failedStage(timerClosed);
    }
    return over;
  }

  private void next() {
    boolean goesOn = true;
    while (goesOn) {
      CompletableFuture<Boolean> answer = StoreCall.stage(step::get).toCompletableFuture();
      if (!answer.isDone()) {
        CompletableFuture<?> unused = answer.whenComplete(this::later);
        return;
      }
      goesOn = goesOn(answer);
    }
  }

  private boolean goesOn(CompletableFuture<Boolean> answer) {
    if (answer.isCompletedExceptionally()) {
      end.completeExceptionally(StoreFailures.failure(answer));
    } else if (answer.join()) {
      return true;
    } else {
      end.complete(null);
    }
    return false;
  }

  private void later(@Nullable Boolean goesOn, @Nullable Throwable failure) {
    if (failure != null) {
      end.completeExceptionally(StoreFailures.unwrap(failure));
    } else if (Boolean.TRUE.equals(goesOn)) {
      next();
    } else {
      end.complete(null);
    }
  }
}
