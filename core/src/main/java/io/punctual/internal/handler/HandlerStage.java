package io.punctual.internal.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stage of an asynchronous handler. Either the stage ends the handler's call, or the worker
 * ends it, for example at a time-out. The worker can also cancel the stage, but the stage may
 * ignore a cancel. Thread-safe.
 *
 * @param stage the stage that the handler returned, which the worker may cancel
 * @param end completes with the stage, or earlier if the worker ends the call
 * @param ended completes after {@code end}, when all observers have run
 */
record HandlerStage(
    CompletionStage<?> stage,
    CompletableFuture<@Nullable Object> end,
    CompletableFuture<@Nullable Object> ended) {
  static HandlerStage of(CompletionStage<?> stage) {
    CompletableFuture<@Nullable Object> end = new CompletableFuture<>();
    CompletionStage<?> unused = stage.whenComplete((result, failure) -> complete(end, failure));
    return new HandlerStage(stage, end, end);
  }

  private static void complete(
      CompletableFuture<@Nullable Object> end, @Nullable Throwable failure) {
    try {
      boolean unused = failure == null ? end.complete(null) : end.completeExceptionally(failure);
    } catch (Throwable error) {
      end.completeExceptionally(error);
    }
  }

  /**
   * Returns this stage with a further observer of the end, which receives the failure, or null if
   * the handler succeeded. Observers run in the order in which they were added.
   */
  HandlerStage observed(Consumer<@Nullable Throwable> observer) {
    return new HandlerStage(
        stage, end, ended.whenComplete((result, failure) -> observer.accept(failure)));
  }

  /** Ends the call with a failure, if it has not ended. */
  void end(Throwable failure) {
    end.completeExceptionally(failure);
  }
}
