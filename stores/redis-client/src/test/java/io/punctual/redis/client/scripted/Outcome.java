package io.punctual.redis.client.scripted;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The failures of calls. */
public final class Outcome {
  private Outcome() {}

  /** Returns the failure of a call, which must have failed by now. */
  public static Throwable failureOf(CompletableFuture<?> call) {
    assertThat(call).isCompletedExceptionally();
    Throwable failure = call.handle((value, thrown) -> thrown).join();
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
