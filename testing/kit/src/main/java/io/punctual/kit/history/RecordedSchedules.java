package io.punctual.kit.history;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.RescheduleAnswered;
import io.punctual.kit.history.HistoryEvent.RescheduleInvoked;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.spi.DueTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Schedules messages, and records each schedule before the call and after the answer. Safe for use
 * by many threads.
 */
final class RecordedSchedules<T> {
  private final TimedQueue<T> queue;
  private final Recording recording;
  private final RecordedChanges changes;

  RecordedSchedules(TimedQueue<T> queue, Recording recording, RecordedChanges changes) {
    this.queue = queue;
    this.recording = recording;
    this.changes = changes;
  }

  Scheduled schedule(Message<T> message, IfPresent mode) {
    return changes.blocking(
        op -> invoked(op, message, mode), () -> queue.schedule(message, mode), this::answered);
  }

  CompletionStage<Scheduled> scheduleAsync(Message<T> message, IfPresent mode) {
    return changes.async(
        op -> invoked(op, message, mode),
        () -> queue.async().schedule(message, mode),
        this::answered);
  }

  List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent mode) {
    List<Long> ops = invoked(messages, mode);
    List<Scheduled> answers;
    try {
      answers = queue.scheduleAll(messages, mode);
    } catch (RuntimeException | Error e) {
      failed(ops, e);
      throw e;
    }
    answered(ops, answers);
    return answers;
  }

  CompletionStage<List<Scheduled>> scheduleAllAsync(
      Collection<Message<T>> messages, IfPresent mode) {
    List<Long> ops = invoked(messages, mode);
    return queue
        .async()
        .scheduleAll(messages, mode)
        .whenComplete(
            (answers, failure) -> {
              if (failure == null) {
                answered(ops, answers);
              } else {
                failed(ops, failure);
              }
            });
  }

  HistoryEvent rescheduled(long op, RescheduleOutcome outcome) {
    return new RescheduleAnswered(recording.now(), op, outcome);
  }

  RescheduleInvoked rescheduleInvoked(long op, String id, Due due) {
    DueTime time = DueTime.of(due);
    return new RescheduleInvoked(
        recording.now(), op, thread(), queue.name(), id, time.isDelay(), time.millis());
  }

  private List<Long> invoked(Collection<Message<T>> messages, IfPresent mode) {
    List<Long> ops = new ArrayList<>();
    for (Message<T> message : messages) {
      long op = recording.nextOp();
      recording.record(invoked(op, message, mode));
      ops.add(op);
    }
    return ops;
  }

  private ScheduleInvoked invoked(long op, Message<T> message, IfPresent mode) {
    DueTime due = DueTime.of(message.due());
    return new ScheduleInvoked(
        recording.now(),
        op,
        thread(),
        queue.name(),
        message.id().orElse(null),
        mode,
        due.isDelay(),
        due.millis());
  }

  /**
   * Records the failure of a call that schedules a list of messages. Any part of the list may be
   * stored.
   */
  private void failed(List<Long> ops, Throwable failure) {
    ops.forEach(op -> recording.failed(op, Doubt.UNKNOWN, null, failure));
  }

  private void answered(List<Long> ops, List<Scheduled> answers) {
    for (int i = 0; i < ops.size(); i++) {
      recording.record(answered(ops.get(i), answers.get(i)));
    }
  }

  private ScheduleAnswered answered(long op, Scheduled scheduled) {
    return new ScheduleAnswered(
        recording.now(),
        op,
        scheduled.id(),
        scheduled.outcome(),
        scheduled.dueAt().toEpochMilli(),
        scheduled.previous().orElse(null));
  }

  private static long thread() {
    return Thread.currentThread().getId();
  }
}
