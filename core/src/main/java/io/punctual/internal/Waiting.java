package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Blocks until a stage is complete, for the blocking forms of the API. */
final class Waiting {
  private Waiting() {}

  /**
   * Returns the stage's value, or throws what it failed with.
   *
   * @throws OutcomeUnknownException if interrupted; the flag is set again
   */
  static <T> T forAnswer(CompletionStage<T> stage) {
    return forAnswer(stage, null);
  }

  /**
   * The same; the exception names the id of the message that the change is about, a made id too.
   */
  static <T> T forAnswer(CompletionStage<T> stage, @Nullable String id) {
    try {
      return stage.toCompletableFuture().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException(
          "Interrupted while waiting for the store"
              + (id == null ? "" : " to change message '" + id + "'")
              + "; what was asked for goes on",
          id,
          e);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /** Waits for an end; failures on the way there have been reported where they happened. */
  static void forEnd(CompletionStage<?> stage) throws InterruptedException {
    try {
      Object unused = stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /** The exception was made on another thread; its trace is kept, and the caller's is added. */
  private static RuntimeException rethrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException e) {
      if (e.getSuppressed().length == 0) {
        e.addSuppressed(new PunctualException("called from here"));
      }
      return e;
    }
    return new PunctualException("The store failed: " + failure, failure);
  }
}
