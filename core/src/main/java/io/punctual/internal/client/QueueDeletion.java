package io.punctual.internal.client;

import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.State;
import io.punctual.internal.message.Checks;
import io.punctual.internal.queue.ClientParts;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Store;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes a queue, at once or after purges. Immutable, so safe for use by many threads. */
record QueueDeletion(Client client, ClientParts parts, Store store, String name) {
  /**
   * The number of purges after which the deletion of a queue gives up, because producers schedule
   * faster than purges remove.
   */
  private static final int PURGES = 10;

  /** Deletes the queue if it holds no messages. */
  Awaited<DeleteQueueOutcome> request() {
    parts.requireOpen();
    Checks.queueName(name);
    return parts.change("The deletion of queue '" + name + "'", this::delete);
  }

  /**
   * Deletes the queue. A deletion that fails may have deleted the queue nevertheless, so a failure
   * also makes the next look-up ask the store.
   */
  private CompletionStage<DeleteQueueOutcome> delete() {
    return StoreCall.stage(() -> store.delete(name))
        .whenComplete(
            (outcome, failure) -> {
              if (outcome != DeleteQueueOutcome.NOT_EMPTY) {
                parts.queues().deleted(name);
              }
            });
  }

  /** Removes all messages of the queue, then the queue. */
  DeleteQueueOutcome afterPurges() {
    DeleteQueueOutcome outcome = client.deleteQueue(name);
    for (int i = 0; i < PURGES && outcome == DeleteQueueOutcome.NOT_EMPTY; i++) {
      long unused =
          client.queue(name, Codec.bytes(), OptionalInt.empty()).purge(EnumSet.allOf(State.class));
      outcome = client.deleteQueue(name);
    }
    return outcome;
  }

  /** The asynchronous form of {@link #afterPurges}. */
  CompletionStage<DeleteQueueOutcome> afterPurgesAsync() {
    return afterPurgesAsync(PURGES);
  }

  private CompletionStage<DeleteQueueOutcome> afterPurgesAsync(int purges) {
    return client
        .deleteQueueAsync(name)
        .thenCompose(
            outcome ->
                outcome == DeleteQueueOutcome.NOT_EMPTY && purges > 0
                    ? client
                        .queueAsync(name, Codec.bytes(), OptionalInt.empty())
                        .thenCompose(queue -> queue.purgeAsync(EnumSet.allOf(State.class)))
                        .thenCompose(removed -> afterPurgesAsync(purges - 1))
                    : CompletableFuture.completedFuture(outcome));
  }
}
