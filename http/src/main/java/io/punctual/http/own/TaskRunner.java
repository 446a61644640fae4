package io.punctual.http.own;

import io.punctual.Delivery;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetters;
import io.punctual.http.queue.Queues;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in this process while it holds the leases of their messages. Each second it writes the
 * progress of a task, and asks the store whether the task was cancelled. When it closes, it hands
 * its tasks back, so that another process continues at once. Thread-safe.
 */
final class TaskRunner implements AutoCloseable {
  /** The lease of a task: so long after a crash, another process continues. */
  static final Duration LEASE = Duration.ofSeconds(10);

  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** A task reads its first messages at most so late. */
  private static final Duration BEGINNING = Duration.ofSeconds(5);

  private static final Duration CLOSING = Duration.ofSeconds(5);

  /** How many tasks run at once; a slow task can run for weeks. */
  static final int CONCURRENCY = 8;

  /** How many of them may be of one caller, whose further tasks wait for their turn. */
  private static final int MOST_OF_CALLER = CONCURRENCY / 2;

  private static final Duration TURN = Duration.ofSeconds(5);

  private final TaskStore store;
  private final Queues queues;
  private final DueTimer timer;
  private final InstantSource clock;
  private final Set<Run> runs = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> byCaller = new ConcurrentHashMap<>();
  private volatile boolean closing;

  TaskRunner(TaskStore store, Queues queues, DueTimer timer, InstantSource clock) {
    this.store = store;
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
        .thenCompose(
            queue -> {
              if (before.order().action() == TaskOrder.Action.PURGE) {
                return purge(queue, before);
              }
              Run run = new Run(delivery, before, queue);
              runs.add(run);
              if (closing) {
                run.task.cancel();
              }
              run.tick();
              return run.end().whenComplete((done, failure) -> runs.remove(run));
            });
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

  /**
   * A task that goes on leaves out messages that died again after their redrive: those that died
   * after the task was due, by the clock of the store.
   */
  private static DeadLetterFilter filter(TaskRecord record, Instant due) {
    DeadLetterFilter filter = record.order().deadLetters();
    Instant end = due.plus(BEGINNING);
    return record.position() == null || filter.diedBefore().isBefore(end)
        ? filter
        : filter.withDiedBefore(end);
  }

  @Override
  public void close() {
    closing = true;
    List<Run> all = List.copyOf(runs);
    all.forEach(run -> run.task.cancel());
    CompletableFuture<?>[] ends =
        all.stream().map(run -> run.ended).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(CLOSING.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Another process continues when the leases end.
    }
  }

  private final class Run {
    private final Delivery<byte[]> delivery;
    private final TaskRecord before;
    private final Task<TaskProgress> task;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private @Nullable String checkpoint;
    private CompletionStage<@Nullable Void> saved = TaskStore.nothing();

    Run(Delivery<byte[]> delivery, TaskRecord before, TimedQueue<byte[]> queue) {
      this.delivery = delivery;
      this.before = before;
      this.checkpoint = before.position();
      this.task = start(queue);
    }

    private Task<TaskProgress> start(TimedQueue<byte[]> queue) {
      TaskOrder order = before.order();
      TaskOptions options = TaskOptions.DEFAULT.checkpoint(this::reached);
      options = order.rate() == 0 ? options : options.perSecond(order.rate());
      options = order.isDryRun() ? options.dryRun() : options;
      String position = before.position();
      options = position == null ? options : options.after(position);
      DeadLetters<byte[]> dead = queue.deadLetters();
      return switch (order.action()) {
        case REDRIVE -> dead.redrive(filter(before, delivery.dueAt()), options);
        case DELETE -> dead.delete(order.deadLetters(), options);
        default -> queue.change(order.messages(), order.change(), options);
      };
    }

    private synchronized CompletionStage<@Nullable Void> reached(TaskProgress progress) {
      checkpoint = progress.position().orElse(checkpoint);
      return save(progress, TaskRecord.State.RUNNING);
    }

    /** Writes the counts; only a checkpoint and the end have a position that is safe to use. */
    private synchronized CompletionStage<@Nullable Void> save(
        TaskProgress progress, TaskRecord.State state) {
      TaskRecord record =
          before.progressed(state, before.counts().plus(progress), checkpoint, clock.instant());
      saved = saved.exceptionally(failure -> null).thenCompose(done -> store.save(record));
      return saved;
    }

    CompletionStage<@Nullable Void> end() {
      task.done()
          .thenCompose(this::settle)
          .whenComplete(
              (done, failure) -> {
                if (failure == null) {
                  ended.complete(null);
                } else {
                  ended.completeExceptionally(failure);
                }
              });
      return ended;
    }

    private CompletionStage<@Nullable Void> settle(TaskProgress progress) {
      if (delivery.isLost()) {
        return TaskStore.nothing();
      }
      boolean handsBack = closing && progress.isCancelled() && !delivery.isCancelled();
      TaskRecord.State state =
          handsBack
              ? TaskRecord.State.RUNNING
              : progress.isCancelled() ? TaskRecord.State.CANCELLED : TaskRecord.State.DONE;
      synchronized (this) {
        checkpoint = progress.position().orElse(checkpoint);
      }
      CompletionStage<@Nullable Void> last = save(progress, state);
      return handsBack
          ? last.thenCompose(done -> delivery.async().release())
              .<@Nullable Void>thenApply(outcome -> null)
          : last;
    }

    void tick() {
      if (ended.isDone()) {
        return;
      }
      delivery
          .async()
          .extend(LEASE)
          .whenComplete(
              (outcome, failure) -> {
                if (outcome == SettleOutcome.CANCELLED || delivery.isLost()) {
                  task.cancel();
                } else {
                  again(failure);
                }
              });
    }

    private void again(@Nullable Throwable failure) {
      if (failure == null && !task.done().toCompletableFuture().isDone()) {
        save(task.progress(), TaskRecord.State.RUNNING);
      }
      try {
        timer.schedule(PERIOD, this::tick);
      } catch (RejectedExecutionException e) {
        task.cancel();
      }
    }
  }
}
