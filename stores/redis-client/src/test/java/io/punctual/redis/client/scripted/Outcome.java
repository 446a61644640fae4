package io.punctual.redis.client.scripted;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The results of calls, without a wait for them. */
public final class Outcome {
  private Outcome() {}

  /** Returns the value of a call, which must have succeeded by now. */
  public static <T> T resultOf(CompletableFuture<T> call) {
    assertThat(call).isCompleted();
    return call.join();
  }

  /** Returns the failure of a call, which must have failed by now. */
  public static Throwable failureOf(CompletableFuture<?> call) {
    assertThat(call).isCompletedExceptionally();
    Throwable failure = call.handle((value, thrown) -> thrown).join();
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
