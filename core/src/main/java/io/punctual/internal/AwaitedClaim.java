package io.punctual.internal;

import io.punctual.Delivery;
import io.punctual.OutcomeUnknownException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A claim that a caller waits for. If the caller leaves, messages that come later are given back.
 */
record AwaitedClaim<T>(String queue, CompletableFuture<List<Delivery<T>>> answer)
    implements Awaited<List<Delivery<T>>> {
  @Override
  public RuntimeException unanswered(String why, @Nullable Throwable cause) {
    answer.cancel(false);
    return new OutcomeUnknownException(
        "The claim from queue '" + queue + "' " + why + "; messages that it brings are given back",
        null,
        cause);
  }
}
