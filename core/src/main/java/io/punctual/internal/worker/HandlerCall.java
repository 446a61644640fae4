package io.punctual.internal.worker;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.Delivery;
import io.punctual.Handler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The ways to call a user's handler. */
public sealed interface HandlerCall<T> {
  /**
   * Calls the handler; returns the stage at whose end the call ends, or null if the call has ended.
   */
  @Nullable CompletionStage<?> call(List<Delivery<T>> deliveries) throws Exception;

  /** One message at a time. */
  record Single<T>(Handler<T> handler) implements HandlerCall<T> {
    @Override
    public @Nullable CompletionStage<?> call(List<Delivery<T>> deliveries) throws Exception {
      handler.handle(deliveries.get(0));
      return null;
    }
  }

  /** One message at a time, without holding a thread. */
  record Async<T>(AsyncHandler<T> handler) implements HandlerCall<T> {
    @Override
    public CompletionStage<?> call(List<Delivery<T>> deliveries) throws Exception {
      return Objects.requireNonNull(
          handler.handle(deliveries.get(0)), "The handler returned null instead of a stage");
    }
  }

  /** Several messages at a time. */
  record Batch<T>(BatchHandler<T> handler) implements HandlerCall<T> {
    @Override
    public @Nullable CompletionStage<?> call(List<Delivery<T>> deliveries) throws Exception {
      handler.handle(deliveries);
      return null;
    }
  }
}
