package io.punctual.contract;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for asynchronous results of a store. */
final class StoreResults {
  private static final long SECONDS = 30;

  private StoreResults() {}

  /**
   * Returns the result, or throws the failure of the stage. Fails if there is no result within 30
   * seconds.
   */
  static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw unchecked(failed.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("The store did not answer within " + SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while waiting for the store", e);
    }
  }

  private static RuntimeException unchecked(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException unchecked) {
      return unchecked;
    }
    throw new AssertionError("The store failed with a checked exception", cause);
  }
}
