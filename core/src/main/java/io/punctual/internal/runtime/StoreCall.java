package io.punctual.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A question or a change that a store gets. */
public interface StoreCall<T> {
  /** Asks the store. */
  CompletionStage<T> ask();

  /** Asks the store; an exception that it throws fails the stage. */
  static <T> CompletionStage<T> stage(StoreCall<T> call) {
    try {
      return call.ask();
    } catch (Throwable e) {
      return CompletableFuture.failedStage(e);
    }
  }
}
