package io.punctual.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An asynchronous request, usually to a store. */
public interface StoreCall<T> {
  /** Sends the request. */
  CompletionStage<T> ask();

  /** Sends the request; an exception of the store fails the stage. */
  static <T> CompletionStage<T> stage(StoreCall<T> call) {
    try {
      return call.ask();
    } catch (Throwable e) {
      return CompletableFuture.failedStage(e);
    }
  }
}
