package io.punctual.internal.claim;

import io.punctual.PunctualException;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.StoreFailures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The result of a manual claim, and the messages that wait for the caller's executor, which
 * completes the result. An executor may drop its tasks, for example when it is shut down, so the
 * end of the claim returns these messages to the queue. Thread-safe.
 *
 * @param <R> the caller's view of a message
 */
final class ClaimResult<R> {
  private final QueuePartitions partitions;
  private final Executor executor;
  private final CompletableFuture<List<R>> future = new CompletableFuture<>();

  /** Gives the messages back that wait for the executor; null if no messages wait. */
  private final AtomicReference<@Nullable Runnable> waiting = new AtomicReference<>();

  ClaimResult(QueuePartitions partitions, Executor executor) {
    this.partitions = partitions;
    this.executor = executor;
  }

  CompletableFuture<List<R>> future() {
    return future;
  }

  boolean isDone() {
    return future.isDone();
  }

  /** Runs an action when the result is complete. */
  void whenDone(Runnable action) {
    CompletableFuture<?> unused = future.whenComplete((messages, failure) -> action.run());
  }

  /**
   * Lets messages wait for the executor; no messages may be waiting yet. Either {@code deliver}
   * runs on the executor, or {@code giveBack} runs.
   *
   * @param isOver whether the claim has ended, so that the executor is not needed
   */
  void add(Runnable deliver, Runnable giveBack, BooleanSupplier isOver) {
    waiting.set(giveBack);
    if (isOver.getAsBoolean()) {
      giveBack();
    } else {
      execute(
          () -> {
            if (waiting.compareAndSet(giveBack, null)) {
              deliver.run();
            }
          });
    }
  }

  /** Returns the waiting messages to the queue, if there are any. */
  void giveBack() {
    Runnable giveBack = waiting.getAndSet(null);
    if (giveBack != null) {
      giveBack.run();
    }
  }

  /**
   * Delivers messages on this thread; returns whether the caller receives them. The caller does not
   * if the result is complete already.
   */
  boolean deliver(List<R> messages) {
    return future.complete(messages);
  }

  /** Completes the result without messages. */
  void completeEmpty() {
    execute(() -> future.complete(List.of()));
  }

  void fail(RuntimeException failure) {
    execute(() -> future.completeExceptionally(failure));
  }

  /** Runs a task on the caller's executor. If the executor throws, the claim fails. */
  private void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (Throwable failure) {
      if (!future.completeExceptionally(failure)) {
        partitions.log().callbackThrew(failure);
      }
    }
  }

  /**
   * Returns the exception of a claim that has no result in time; logs if the executor is the cause.
   *
   * @param lastFailure the last failure of the store; null if the store has not failed
   */
  RuntimeException noAnswer(@Nullable Throwable lastFailure) {
    if (waiting.get() == null) {
      return StoreFailures.notDone(
          "The store did not answer a claim from queue '"
              + partitions.queue()
              + "' in time; messages that it still returns go back to the queue",
          lastFailure);
    }
    partitions.log().callbackNotRun();
    return new PunctualException(
        "callbackExecutor did not run the reply of a claim from queue '"
            + partitions.queue()
            + "' in time; the messages go back to the queue");
  }
}
