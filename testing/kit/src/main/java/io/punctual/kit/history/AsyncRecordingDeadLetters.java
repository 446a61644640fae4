package io.punctual.kit.history;

import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.AsyncDeadLetters;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.kit.history.HistoryEvent.DeadLetterAnswered;
import io.punctual.kit.history.HistoryEvent.DeleteDeadInvoked;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.task.Task;
import java.util.concurrent.CompletionStage;

/** The asynchronous forms of {@link RecordingDeadLetters}. Safe for use by many threads. */
record AsyncRecordingDeadLetters<T>(
    AsyncDeadLetters<T> deadLetters, String queue, Recording recording, RecordedChanges changes)
    implements AsyncDeadLetters<T> {
  @Override
  public CompletionStage<Page<StoredMessage<T>>> list(DeadLetterQuery query) {
    return deadLetters.list(query);
  }

  @Override
  public Task<DeadLetterGroups> groups(DeadLetterFilter filter) {
    return deadLetters.groups(filter);
  }

  @Override
  public CompletionStage<DeadLetterOutcome> redrive(String id) {
    return changes.async(
        op -> new RedriveInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.redrive(id),
        this::answered);
  }

  @Override
  public CompletionStage<DeadLetterOutcome> redrive(String id, T payload) {
    return changes.async(
        op -> new RedriveInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.redrive(id, payload),
        this::answered);
  }

  @Override
  public CompletionStage<DeadLetterOutcome> delete(String id) {
    return changes.async(
        op -> new DeleteDeadInvoked(recording.now(), op, thread(), queue, id),
        () -> deadLetters.delete(id),
        this::answered);
  }

  @Override
  public CompletionStage<Long> deleteBeyond(DeadLetterRetention retention) {
    return changes.async(
        op -> new PurgeInvoked(recording.now(), op, thread(), queue, State.DEAD.name()),
        () -> deadLetters.deleteBeyond(retention),
        (op, count) -> answered(op, count));
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
