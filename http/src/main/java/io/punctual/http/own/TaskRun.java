package io.punctual.http.own;

import io.punctual.Delivery;
import io.punctual.LeaseLostException;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A task while this process holds its message. Writes its record only while the lease lasts, and
 * nothing after the end, so that an ended task does not seem to run. Thread-safe.
 */
final class TaskRun {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** A task reads its first messages at most so late. */
  private static final Duration BEGINNING = Duration.ofSeconds(5);

  private final TaskStore store;
  private final TaskFailures failures;
  private final DueTimer timer;
  private final InstantSource clock;
  private final Delivery<byte[]> delivery;
  private final TaskRecord before;
  private final Task<TaskProgress> task;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private @Nullable String checkpoint;
  private CompletionStage<@Nullable Void> saved = TaskStore.nothing();
  private boolean isLastSaved;
  private volatile boolean handsBack;

  /** Starts the task in its queue. */
  TaskRun(
      TaskStore store,
      DueTimer timer,
      InstantSource clock,
      Delivery<byte[]> delivery,
      TaskRecord before,
      TimedQueue<byte[]> queue) {
    this.store = store;
    this.failures = new TaskFailures(store, clock);
    this.timer = timer;
    this.clock = clock;
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

  private synchronized CompletionStage<@Nullable Void> reached(TaskProgress progress) {
    checkpoint = progress.position().orElse(checkpoint);
    return save(progress);
  }

  /** Writes the counts; only a checkpoint and the end have a position that is safe to use. */
  private synchronized CompletionStage<@Nullable Void> save(TaskProgress progress) {
    TaskRecord record = record(progress, TaskRecord.State.RUNNING);
    return isLastSaved || record.equals(before) ? TaskStore.nothing() : write(record);
  }

  private synchronized CompletionStage<@Nullable Void> saveLast(
      TaskProgress progress, TaskRecord.State state) {
    isLastSaved = true;
    checkpoint = progress.position().orElse(checkpoint);
    return write(record(progress, state));
  }

  private TaskRecord record(TaskProgress progress, TaskRecord.State state) {
    return before.progressed(state, before.counts().plus(progress), checkpoint, clock.instant());
  }

  private CompletionStage<@Nullable Void> write(TaskRecord record) {
    saved = saved.exceptionally(failure -> null).thenCompose(done -> writeIfHeld(record));
    return saved;
  }

  /** Fails without the lease, by which a task ends whose checkpoint is not saved. */
  private CompletionStage<@Nullable Void> writeIfHeld(TaskRecord record) {
    return delivery.isLost()
        ? CompletableFuture.failedStage(
            new LeaseLostException("Another process may run the task " + before.id() + " now"))
        : store.save(record);
  }

  /** Ends the task early, so that another process continues it at once. */
  void handBack() {
    handsBack = true;
    task.cancel();
  }

  CompletableFuture<@Nullable Void> ended() {
    return ended;
  }

  /** Returns a stage that ends when the message is settled or can be removed. */
  CompletionStage<@Nullable Void> end() {
    task.done()
        .handle((progress, failure) -> failure == null ? settle(progress) : failed(failure))
        .thenCompose(Function.identity())
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

  private synchronized CompletionStage<@Nullable Void> failed(Throwable failure) {
    isLastSaved = true;
    TaskRecord last = record(task.progress(), TaskRecord.State.RUNNING);
    return saved
        .exceptionally(unsaved -> null)
        .thenCompose(done -> failures.settle(delivery, before, last, failure));
  }

  private CompletionStage<@Nullable Void> settle(TaskProgress progress) {
    if (delivery.isLost()) {
      return TaskStore.nothing();
    }
    boolean isHandedBack = handsBack && progress.isCancelled() && !delivery.isCancelled();
    TaskRecord.State state =
        isHandedBack
            ? TaskRecord.State.RUNNING
            : progress.isCancelled() ? TaskRecord.State.CANCELLED : TaskRecord.State.DONE;
    CompletionStage<@Nullable Void> last = saveLast(progress, state);
    return isHandedBack
        ? last.thenCompose(done -> delivery.async().release())
            .<@Nullable Void>thenApply(outcome -> null)
        : last;
  }

  /** Asks the store, now and each second, whether the task is cancelled, and writes its counts. */
  void tick() {
    if (ended.isDone()) {
      return;
    }
    delivery
        .async()
        .extend(TaskRunner.LEASE)
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
    try {
      timer.schedule(PERIOD, this::tick);
    } catch (RejectedExecutionException e) {
      task.cancel();
    }
    if (failure == null) {
      CompletionStage<@Nullable Void> unused = save(task.progress());
    }
  }
}
