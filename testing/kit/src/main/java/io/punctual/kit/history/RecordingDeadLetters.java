package io.punctual.kit.history;

import io.punctual.OutcomeUnknownException;
import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.AsyncDeadLetters;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.deadletter.DeadLetters;
import io.punctual.kit.history.HistoryEvent.DeadLetterAnswered;
import io.punctual.kit.history.HistoryEvent.DeleteDeadInvoked;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RedriveAllInvoked;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Records the changes of dead letters. Safe for use by many threads. */
final class RecordingDeadLetters<T> implements DeadLetters<T> {
  private final DeadLetters<T> deadLetters;
  private final String queue;
  private final Recording recording;
  private final RecordedChanges changes;

  RecordingDeadLetters(DeadLetters<T> deadLetters, String queue, Recording recording) {
    this.deadLetters = deadLetters;
    this.queue = queue;
    this.recording = recording;
    changes = new RecordedChanges(recording);
  }

  @Override
  public AsyncDeadLetters<T> async() {
    return new AsyncRecordingDeadLetters<>(deadLetters.async(), queue, recording, changes);
  }

  @Override
  public Page<StoredMessage<T>> list(DeadLetterQuery query) {
    return deadLetters.list(query);
  }

  @Override
  public DeadLetterGroups groups(DeadLetterFilter filter) {
    return deadLetters.groups(filter);
  }

  @Override
  public DeadLetterOutcome redrive(String id) {
    return changes.blocking(
        op -> new RedriveInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.redrive(id),
        this::answered);
  }

  @Override
  public DeadLetterOutcome redrive(String id, T payload) {
    return changes.blocking(
        op -> new RedriveInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.redrive(id, payload),
        this::answered);
  }

  @Override
  public Task<TaskProgress> redrive(DeadLetterFilter filter, TaskOptions options) {
    return recorded(
        op -> new RedriveAllInvoked(recording.now(), op, thread(), queue),
        () -> deadLetters.redrive(filter, options));
  }

  @Override
  public DeadLetterOutcome delete(String id) {
    return changes.blocking(
        op -> new DeleteDeadInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.delete(id),
        this::answered);
  }

  @Override
  public Task<TaskProgress> delete(DeadLetterFilter filter, TaskOptions options) {
    return recorded(
        op -> new PurgeInvoked(recording.now(), op, thread(), queue, State.DEAD.name()),
        () -> deadLetters.delete(filter, options));
  }

  @Override
  public long deleteBeyond(DeadLetterRetention retention) {
    return changes.blocking(
        op -> new PurgeInvoked(recording.now(), op, thread(), queue, State.DEAD.name()),
        () -> deadLetters.deleteBeyond(retention),
        (op, count) -> answered(op, count));
  }

  /**
   * Records a task as a change of all dead letters, because the dead letters that match its filter
   * are not known. A task that fails may have changed some of them.
   */
  private Task<TaskProgress> recorded(
      LongFunction<HistoryEvent> invoked, Supplier<Task<TaskProgress>> start) {
    AtomicReference<Task<TaskProgress>> started = new AtomicReference<>();
    CompletionStage<TaskProgress> unused =
        changes.async(
            invoked,
            () -> {
              Task<TaskProgress> task = start.get();
              started.set(task);
              return task.done()
                  .exceptionallyCompose(
                      failure ->
                          CompletableFuture.failedStage(
                              new OutcomeUnknownException("ended early", null, failure)));
            },
            (op, progress) -> answered(op, progress.changed()));
    return Objects.requireNonNull(started.get());
  }

  private HistoryEvent answered(long op, DeadLetterOutcome outcome) {
    return new DeadLetterAnswered(recording.now(), op, outcome);
  }

  private HistoryEvent answered(long op, long count) {
    return new QueueAnswered(recording.now(), op, count);
  }

  private static long thread() {
    return Thread.currentThread().getId();
  }
}
