package io.punctual.internal.client;

import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.State;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The deletion of a queue with all its messages.
 *
 * @param client the client
 * @param queue the name of the queue
 */
record PurgeAndDelete(Client client, String queue) {
  /**
   * The number of purges after which the deletion of a queue gives up, because producers schedule
   * faster than purges remove.
   */
  private static final int PURGES = 10;

  private static final Set<State> ALL_STATES = EnumSet.allOf(State.class);

  /** Deletes the queue, and waits for the end. */
  DeleteQueueOutcome run() {
    DeleteQueueOutcome outcome = client.deleteQueue(queue);
    for (int i = 0; i < PURGES && outcome == DeleteQueueOutcome.NOT_EMPTY; i++) {
      long unused = client.queue(queue, Codec.bytes(), OptionalInt.empty()).purge(ALL_STATES);
      try {
        outcome = client.deleteQueue(queue);
      } catch (PunctualException e) {
        throw afterPurge(e);
      }
    }
    return outcome;
  }

  /** Deletes the queue. */
  CompletionStage<DeleteQueueOutcome> start() {
    return start(PURGES);
  }

  private CompletionStage<DeleteQueueOutcome> start(int purges) {
    return client
        .deleteQueueAsync(queue)
        .thenCompose(
            outcome ->
                outcome == DeleteQueueOutcome.NOT_EMPTY && purges > 0
                    ? client
                        .queueAsync(queue, Codec.bytes(), OptionalInt.empty())
                        .thenCompose(opened -> opened.async().purge(ALL_STATES))
                        .thenCompose(removed -> next(purges - 1))
                    : CompletableFuture.completedFuture(outcome));
  }

  private CompletionStage<DeleteQueueOutcome> next(int purges) {
    return start(purges)
        .exceptionally(
            failure -> {
              throw afterPurge(failure);
            });
  }

  /** A failure after a purge must not say that nothing was done. */
  private OutcomeUnknownException afterPurge(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof OutcomeUnknownException known
        ? known
        : new OutcomeUnknownException(
            "The messages of queue '"
                + queue
                + "' are deleted, but perhaps not the queue: "
                + cause.getMessage(),
            null,
            cause);
  }
}
