package io.punctual.internal.task;

import io.punctual.ClientClosedException;
import io.punctual.internal.queue.ClientParts;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.Waiting;
import io.punctual.task.Task;
import io.punctual.task.TaskProgress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Runs the steps of a task until their end, a cancel, or the close of the client. Thread-safe. */
public final class ClientTask<R> implements Task<R> {
  private final ClientParts client;
  private final TaskSteps<R> steps;
  private final Runnable whenClosed = this::clientClosed;
  private final CompletableFuture<R> end = new CompletableFuture<>();
  private volatile boolean cancelled;

  /** Whether a step or the close of the client has ended the task because it was cancelled. */
  private volatile boolean stopped;

  private ClientTask(ClientParts client, TaskSteps<R> steps) {
    this.client = client;
    this.steps = steps;
  }

  /** Starts a task. */
  public static <R> ClientTask<R> start(ClientParts client, TaskSteps<R> steps) {
    client.requireOpen();
    ClientTask<R> task = new ClientTask<>(client, steps);
    client.addTask(task.whenClosed);
    CompletableFuture<?> unused =
        AsyncLoop.run(task::step).whenComplete((nothing, failure) -> task.ended(failure));
    return task;
  }

  private CompletionStage<Boolean> step() {
    if (cancelled) {
      stopped = true;
      return CompletableFuture.completedStage(false);
    }
    client.requireOpen();
    return steps.step();
  }

  private void ended(@Nullable Throwable failure) {
    client.removeTask(whenClosed);
    TaskProgress last = progress();
    BlockingGuard.callbacks(
        () -> {
          Throwable reason = failure == null ? null : StoreFailures.unwrap(failure);
          if (reason == null
              ? end.complete(steps.result(last))
              : end.completeExceptionally(reason)) {
            steps.ended(last, reason);
          }
        });
  }

  /** Ends the task, because its client is closed. */
  private void clientClosed() {
    cancelled = true;
    stopped = true;
    ended(new ClientClosedException("The " + steps + " has ended early: the client is closed"));
  }

  @Override
  public TaskProgress progress() {
    return stopped ? steps.counts().cancelled() : steps.counts();
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public CompletionStage<R> done() {
    return client.env().callbacks().of(end.copy());
  }

  @Override
  public R await() {
    return Waiting.forEndOf(() -> steps.awaited(end.copy()));
  }

  @Override
  public String toString() {
    return steps.toString();
  }
}
