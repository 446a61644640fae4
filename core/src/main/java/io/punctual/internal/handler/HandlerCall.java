package io.punctual.internal.handler;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.Delivery;
import io.punctual.Handler;
import io.punctual.Worker;
import io.punctual.event.Event;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.internal.runtime.StoreFailures;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A way to call a user's handler. */
public sealed interface HandlerCall<T> {
  /**
   * Calls the handler. Returns the stage whose end is the end of the call, or null if the call has
   * ended.
   */
  @Nullable HandlerStage call(List<Delivery<T>> deliveries) throws Exception;

  /** Calls a handler with one message at a time. */
  record Single<T>(Handler<T> handler) implements HandlerCall<T> {
    @Override
    public @Nullable HandlerStage call(List<Delivery<T>> deliveries) throws Exception {
      handler.handle(deliveries.get(0));
      return null;
    }
  }

  /** Calls a handler that does not hold a thread, with one message at a time. */
  record Async<T>(AsyncHandler<T> handler) implements HandlerCall<T> {
    @Override
    public HandlerStage call(List<Delivery<T>> deliveries) throws Exception {
      return HandlerStage.of(
          Objects.requireNonNull(
              handler.handle(deliveries.get(0)), "The handler returned null instead of a stage"));
    }
  }

  /** Calls a handler with several messages at a time. */
  record Batch<T>(BatchHandler<T> handler) implements HandlerCall<T> {
    @Override
    public @Nullable HandlerStage call(List<Delivery<T>> deliveries) throws Exception {
      handler.handle(deliveries);
      return null;
    }
  }

  /** Calls a handler, and notifies interceptors and observers of the call. */
  record Observed<T>(HandlerCall<T> call, Environment env, Worker worker)
      implements HandlerCall<T> {
    @Override
    public @Nullable HandlerStage call(List<Delivery<T>> deliveries) throws Exception {
      long started = env.nanoTime();
      Interceptors.Call around = env.interceptors().handle(worker, deliveries);
      HandlerStage stage;
      try {
        stage = call.call(deliveries);
      } catch (Throwable failure) {
        around.returned();
        ended(deliveries, started, around, failure);
        throw failure;
      }
      around.returned();
      if (stage == null) {
        ended(deliveries, started, around, null);
        return null;
      }
      return stage.observed(failure -> ended(deliveries, started, around, failure));
    }

    private void ended(
        List<Delivery<T>> deliveries,
        long startedNanos,
        Interceptors.Call around,
        @Nullable Throwable failure) {
      Throwable cause = failure == null ? null : StoreFailures.unwrap(failure);
      around.ended(cause);
      Duration duration = Duration.ofNanos(env.nanoTime() - startedNanos);
      for (Delivery<T> each : deliveries) {
        env.events()
            .publish(
                () ->
                    new Event.HandlerEnded(
                        each.queue(), each.id(), each.attempt(), duration, cause));
      }
    }
  }
}
