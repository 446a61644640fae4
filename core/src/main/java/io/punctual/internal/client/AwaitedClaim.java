package io.punctual.internal.client;

import io.punctual.Delivery;
import io.punctual.OutcomeUnknownException;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.CallerThread;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A claim for which a caller waits. If the caller stops waiting, later messages are released. */
record AwaitedClaim<T>(
    String queue, CompletableFuture<List<Delivery<T>>> answer, CallerThread caller)
    implements Awaited<List<Delivery<T>>> {
  @Override
  public List<Delivery<T>> get() throws InterruptedException, ExecutionException {
    return caller.await(answer);
  }

  @Override
  public RuntimeException unanswered(String why, @Nullable Throwable cause) {
    answer.cancel(false);
    return new OutcomeUnknownException(
        "The claim from queue '"
            + queue
            + "' "
            + why
            + "; messages that it returns later are released",
        null,
        cause);
  }
}
