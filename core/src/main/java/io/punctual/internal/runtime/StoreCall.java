package io.punctual.internal.runtime;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An asynchronous request to a store, or to code of the user. */
public interface StoreCall<T> {
  /** Sends the request. */
  CompletionStage<T> ask();

  /** Sends the request. The stage fails if the call throws, or returns null in place of a stage. */
  static <T> CompletionStage<T> stage(StoreCall<T> call) {
    try {
      return Objects.requireNonNull(call.ask(), "The call returned null in place of a stage");
    } catch (Throwable e) {
      return CompletableFuture.failedStage(e);
    }
  }
}
