package io.punctual.internal.worker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stage of an asynchronous handler. Either the stage ends the handler's call, or the worker
 * does, for example at a time-out. The worker can also cancel the stage, which may ignore that.
 * Thread-safe.
 *
 * @param stage the stage that the handler returned, which the worker cancels
 * @param end completes with the stage or by the worker, whichever comes first
 * @param ended completes after {@code end} and the observers of the end
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
    boolean unused = failure == null ? end.complete(null) : end.completeExceptionally(failure);
  }

  /** Returns this stage with an observer, which receives the failure or null before later ones. */
  HandlerStage observed(Consumer<@Nullable Throwable> observer) {
    return new HandlerStage(
        stage, end, ended.whenComplete((result, failure) -> observer.accept(failure)));
  }

  /** Ends the call with a failure, if it has not ended. */
  void end(Throwable failure) {
    end.completeExceptionally(failure);
  }
}
