package io.punctual.spring;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** Turns the results of listeners' methods into stages. */
final class Stages {
  private Stages() {}

  /**
   * Returns a stage that completes when the result completes. A cancellation of the stage cancels
   * the result.
   */
  static CompletionStage<?> of(@Nullable Object result) {
    Objects.requireNonNull(result, "The handler returned null instead of a stage");
    if (result instanceof CompletionStage<?> stage) {
      return stage;
    }
    ReactiveAdapter adapter =
        ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass());
    if (adapter == null) {
      throw new IllegalStateException("No reactive adapter for " + result.getClass().getName());
    }
    return Streams.complete(adapter.<Object>toPublisher(result));
  }

  /** Waits for the stage, and cancels it if the thread is interrupted. */
  static void await(CompletionStage<?> stage) throws Exception {
    CompletableFuture<?> future = stage.toCompletableFuture();
    try {
      Object unused = future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (InterruptedException e) {
      future.cancel(true);
      throw e;
    }
  }

  /**
   * Converts reactive results. This is a class of its own, because Reactive Streams are optional:
   * the JVM loads this class only for a reactive result.
   */
  private static final class Streams {
    static CompletionStage<?> complete(Publisher<Object> publisher) {
      Completion completion = new Completion();
      publisher.subscribe(completion);
      return completion.future;
    }
  }

  private static final class Completion implements Subscriber<Object> {
    final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();

    @Override
    public void onSubscribe(Subscription subscription) {
      CompletableFuture<?> unused =
          future.whenComplete(
              (nothing, failure) -> {
                if (future.isCancelled()) {
                  subscription.cancel();
                }
              });
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object item) {}

    @Override
    public void onError(Throwable failure) {
      future.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      future.complete(null);
    }
  }
}
