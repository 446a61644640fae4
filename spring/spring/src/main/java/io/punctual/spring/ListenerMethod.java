package io.punctual.spring;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.Delivery;
import io.punctual.Handler;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/** Calls a listener's method with deliveries. Safe for use by many threads. */
final class ListenerMethod {
  private final InvocableHandlerMethod method;
  private final HandlerSignature signature;
  private final @Nullable PunctualListenerErrorHandler errorHandler;
  private final @Nullable DeadHandler<?> deadHandler;

  ListenerMethod(
      InvocableHandlerMethod method,
      HandlerSignature signature,
      @Nullable PunctualListenerErrorHandler errorHandler,
      @Nullable DeadHandler<?> deadHandler) {
    this.method = method;
    this.signature = signature;
    this.errorHandler = errorHandler;
    this.deadHandler = deadHandler;
  }

  @SuppressWarnings("unchecked") // The payloads have the type that the application declares.
  <T> Worker work(TimedQueue<T> source, WorkerOptions options) {
    TimedQueue<T> queue =
        deadHandler == null ? source : source.withDeadHandler((DeadHandler<T>) deadHandler);
    if (signature.batch() != HandlerSignature.Batch.NONE) {
      BatchHandler<T> batch = this::callBatch;
      return queue.workBatches(withExecutor(options), batch);
    }
    WorkerOptions single = withoutBatches(withExecutor(options));
    if (signature.isAsync()) {
      AsyncHandler<T> async = this::callAsync;
      return queue.workStages(single, async);
    }
    Handler<T> handler = this::call;
    return queue.work(single, handler);
  }

  /** An executor replaces the threads of the defaults. */
  static WorkerOptions withExecutor(WorkerOptions options) {
    return options.executor().isEmpty()
        ? options
        : options.toBuilder().threads(WorkerOptions.Threads.AUTO).build();
  }

  /** The defaults of listeners may have options of batches, since they are for any listener. */
  private static WorkerOptions withoutBatches(WorkerOptions options) {
    return options.toBuilder()
        .batchSize(WorkerOptions.DEFAULT.batchSize())
        .batchLinger(WorkerOptions.DEFAULT.batchLinger())
        .build();
  }

  private void call(Delivery<?> delivery) throws Exception {
    try {
      Object unused = method.invoke(DeliveryMessage.of(delivery));
    } catch (Throwable e) {
      failed(List.of(delivery), e);
    }
  }

  private <T> void callBatch(List<Delivery<T>> deliveries) throws Exception {
    boolean payloads = signature.batch() == HandlerSignature.Batch.PAYLOADS;
    try {
      Object result = method.invoke(DeliveryMessage.of(deliveries, payloads));
      if (signature.isAsync()) {
        Stages.await(Stages.of(result));
      }
    } catch (Throwable e) {
      failed(deliveries, e);
    }
  }

  private CompletionStage<?> callAsync(Delivery<?> delivery) throws Exception {
    try {
      CompletionStage<?> stage = Stages.of(method.invoke(DeliveryMessage.of(delivery)));
      return errorHandler == null ? stage : handled(stage, delivery);
    } catch (Throwable e) {
      failed(List.of(delivery), e);
      return CompletableFuture.completedFuture(null);
    }
  }

  /**
   * Returns a stage that ends after the error handler. A cancellation of the returned stage also
   * cancels the stage of the method.
   */
  private CompletionStage<?> handled(CompletionStage<?> stage, Delivery<?> delivery) {
    CompletableFuture<@Nullable Object> handled = new CompletableFuture<>();
    CompletionStage<?> unused =
        stage.whenComplete(
            (result, failure) -> {
              try {
                if (failure != null && !handled.isCancelled()) {
                  failed(List.of(delivery), unwrapped(failure));
                }
                handled.complete(null);
              } catch (Throwable e) {
                handled.completeExceptionally(e);
              }
            });
    CompletableFuture<?> unusedToo =
        handled.whenComplete(
            (nothing, failure) -> {
              if (handled.isCancelled()) {
                stage.toCompletableFuture().cancel(true);
              }
            });
    return handled;
  }

  private void failed(List<? extends Delivery<?>> deliveries, Throwable failure) throws Exception {
    PunctualListenerErrorHandler handler = errorHandler;
    if (handler == null) {
      if (failure instanceof Error error) {
        throw error;
      }
      throw failure instanceof Exception e ? e : new CompletionException(failure);
    }
    handler.handle(deliveries, failure);
  }

  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean wrapper =
        failure instanceof CompletionException
            || failure instanceof java.util.concurrent.ExecutionException;
    return wrapper && cause != null ? cause : failure;
  }
}
