package io.punctual.kit.history;

import io.punctual.CancelOutcome;
import io.punctual.TimedQueue;
import io.punctual.kit.history.HistoryEvent.CancelAnswered;
import io.punctual.kit.history.HistoryEvent.CancelInvoked;
import io.punctual.kit.history.HistoryEvent.Doubt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Cancels messages, and records each cancel before the call and after the answer. Safe for use by
 * many threads.
 */
final class RecordedCancels {
  private final TimedQueue<?> queue;
  private final Recording recording;
  private final RecordedChanges changes;

  RecordedCancels(TimedQueue<?> queue, Recording recording, RecordedChanges changes) {
    this.queue = queue;
    this.recording = recording;
    this.changes = changes;
  }

  CancelOutcome cancel(String id) {
    return changes.blocking(op -> invoked(op, id), () -> queue.cancel(id), this::answered);
  }

  CompletionStage<CancelOutcome> cancelAsync(String id) {
    return changes.async(op -> invoked(op, id), () -> queue.async().cancel(id), this::answered);
  }

  List<CancelOutcome> cancelAll(Collection<String> ids) {
    List<Long> ops = invoked(ids);
    List<CancelOutcome> outcomes;
    try {
      outcomes = queue.cancelAll(ids);
    } catch (RuntimeException | Error e) {
      answered(ops, null, e);
      throw e;
    }
    answered(ops, outcomes, null);
    return outcomes;
  }

  CompletionStage<List<CancelOutcome>> cancelAllAsync(Collection<String> ids) {
    List<Long> ops = invoked(ids);
    return queue
        .async()
        .cancelAll(ids)
        .whenComplete((outcomes, failure) -> answered(ops, outcomes, failure));
  }

  private List<Long> invoked(Collection<String> ids) {
    List<Long> ops = new ArrayList<>();
    for (String id : ids) {
      long op = recording.nextOp();
      recording.record(invoked(op, id));
      ops.add(op);
    }
    return ops;
  }

  private CancelInvoked invoked(long op, String id) {
    return new CancelInvoked(recording.now(), op, Thread.currentThread().getId(), queue.name(), id);
  }

  /** Records the answers. If the call failed, some of the messages may be cancelled. */
  private void answered(
      List<Long> ops, @Nullable List<CancelOutcome> outcomes, @Nullable Throwable failure) {
    for (int i = 0; i < ops.size(); i++) {
      if (outcomes != null) {
        recording.record(answered(ops.get(i), outcomes.get(i)));
      } else if (failure != null) {
        recording.failed(ops.get(i), Doubt.UNKNOWN, null, failure);
      }
    }
  }

  private CancelAnswered answered(long op, CancelOutcome outcome) {
    return new CancelAnswered(recording.now(), op, outcome);
  }
}
