package io.punctual.http.own;

import io.punctual.Delivery;
import io.punctual.TimedQueue;
import io.punctual.http.queue.Queues;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in this process while it holds the leases of their messages. Each second it writes the
 * progress of a task, and asks the store whether the task was cancelled. When it closes, it hands
 * its tasks back, so that another process continues at once. Thread-safe.
 */
final class TaskRunner implements AutoCloseable {
  /** The lease of a task: so long after a crash, another process continues. */
  static final Duration LEASE = Duration.ofSeconds(10);

  private static final Duration CLOSING = Duration.ofSeconds(5);

  /** How many tasks run at once; a slow task can run for weeks. */
  static final int CONCURRENCY = 8;

  /** How many of them may be of one caller, whose further tasks wait for their turn. */
  private static final int MOST_OF_CALLER = CONCURRENCY / 2;

  private static final Duration TURN = Duration.ofSeconds(5);

  private final TaskStore store;
  private final TaskFailures failures;
  private final Queues queues;
  private final DueTimer timer;
  private final InstantSource clock;
  private final Set<TaskRun> runs = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> byCaller = new ConcurrentHashMap<>();
  private volatile boolean closing;

  TaskRunner(TaskStore store, Queues queues, DueTimer timer, InstantSource clock) {
    this.store = store;
    this.failures = new TaskFailures(store, clock);
    this.queues = queues;
    this.timer = timer;
    this.clock = clock;
  }

  /** Runs the task of a delivery; the stage ends when the message is settled or can be removed. */
  CompletionStage<@Nullable Void> run(Delivery<byte[]> delivery) {
    return store
        .find(delivery.id())
        .thenCompose(
            found ->
                found.isEmpty() || found.get().state().isEnded()
                    ? TaskStore.nothing()
                    : run(delivery, found.get()));
  }

  private CompletionStage<@Nullable Void> run(Delivery<byte[]> delivery, TaskRecord before) {
    String caller = before.by();
    if (byCaller.merge(caller, 1, Integer::sum) > MOST_OF_CALLER) {
      leave(caller);
      return delivery.async().defer(TURN).<@Nullable Void>thenApply(outcome -> null);
    }
    return start(delivery, before).whenComplete((done, failure) -> leave(caller));
  }

  private void leave(String caller) {
    byCaller.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }

  private CompletionStage<@Nullable Void> start(Delivery<byte[]> delivery, TaskRecord before) {
    return queues
        .open(before.order().queue())
        .thenApply(queue -> end(delivery, before, queue))
        .exceptionally(failure -> failures.settle(delivery, before, failure))
        .thenCompose(Function.identity());
  }

  /** Begins a task, or throws if it can't begin; returns the stage of its end. */
  private CompletionStage<@Nullable Void> end(
      Delivery<byte[]> delivery, TaskRecord before, TimedQueue<byte[]> queue) {
    if (before.order().action() == TaskOrder.Action.PURGE) {
      return purge(queue, before)
          .exceptionallyCompose(failure -> failures.settle(delivery, before, failure));
    }
    TaskRun run = new TaskRun(store, timer, clock, delivery, before, queue);
    runs.add(run);
    if (closing) {
      run.handBack();
    }
    run.tick();
    return run.end().whenComplete((done, failure) -> runs.remove(run));
  }

  private CompletionStage<@Nullable Void> purge(TimedQueue<byte[]> queue, TaskRecord before) {
    return queue
        .async()
        .purge(before.order().states())
        .thenCompose(
            removed ->
                store.save(
                    before.progressed(
                        TaskRecord.State.DONE,
                        before.counts().changed(removed),
                        null,
                        clock.instant())));
  }

  @Override
  public void close() {
    closing = true;
    List<TaskRun> all = List.copyOf(runs);
    all.forEach(TaskRun::handBack);
    CompletableFuture<?>[] ends =
        all.stream().map(TaskRun::ended).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(CLOSING.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Another process continues when the leases end.
    }
  }
}
