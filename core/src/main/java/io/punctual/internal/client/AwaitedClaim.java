package io.punctual.internal.client;

import io.punctual.OutcomeUnknownException;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.CallerThread;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A claim for which a caller waits. Messages that arrive after the caller has stopped waiting
 * return to the queue.
 */
record AwaitedClaim<R>(String queue, CompletableFuture<List<R>> answer, CallerThread caller)
    implements Awaited<List<R>> {
  @Override
  public List<R> get() throws InterruptedException, ExecutionException {
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
            + "; messages that it returns later go back to the queue",
        null,
        cause);
  }
}
