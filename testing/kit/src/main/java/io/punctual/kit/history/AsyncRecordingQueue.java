package io.punctual.kit.history;

import io.punctual.AsyncTimedQueue;
import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Forecast;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.kit.history.HistoryEvent.PauseInvoked;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RunNowInvoked;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The asynchronous forms of a {@link RecordingQueue}. Safe for use by many threads. */
record AsyncRecordingQueue<T>(
    AsyncTimedQueue<T> queue,
    String name,
    Recording recording,
    RecordedChanges changes,
    RecordedSchedules<T> schedules,
    RecordedCancels cancels,
    RecordedDeliveries deliveries)
    implements AsyncTimedQueue<T> {
  @Override
  public CompletionStage<Scheduled> schedule(Message<T> message, IfPresent ifPresent) {
    return schedules.scheduleAsync(message, ifPresent);
  }

  @Override
  public CompletionStage<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    return schedules.scheduleAllAsync(messages, ifPresent);
  }

  @Override
  public CompletionStage<CancelOutcome> cancel(String id) {
    return cancels.cancelAsync(id);
  }

  @Override
  public CompletionStage<List<CancelOutcome>> cancelAll(Collection<String> ids) {
    return cancels.cancelAllAsync(ids);
  }

  @Override
  public CompletionStage<List<SettleOutcome>> settle(Collection<? extends Settlement> settlements) {
    return queue.settle(settlements);
  }

  @Override
  public CompletionStage<RescheduleOutcome> reschedule(String id, Due due) {
    return changes.async(
        op -> schedules.rescheduleInvoked(op, id, due),
        () -> queue.reschedule(id, due),
        schedules::rescheduled);
  }

  @Override
  public CompletionStage<RescheduleOutcome> runNow(String id) {
    return changes.async(
        op -> new RunNowInvoked(recording.now(), op, thread(), name, id),
        () -> queue.runNow(id),
        schedules::rescheduled);
  }

  @Override
  public CompletionStage<List<Delivery<T>>> claim(int max, ClaimOptions options) {
    return queue
        .claim(max, options)
        .whenComplete(
            (claimed, failure) -> {
              if (claimed != null) {
                claimed.forEach(deliveries::handedOver);
              }
            });
  }

  @Override
  public CompletionStage<List<Message<T>>> take(int max, ClaimOptions options) {
    return queue.take(max, options);
  }

  @Override
  public CompletionStage<Optional<StoredMessage<T>>> find(String id) {
    return queue.find(id);
  }

  @Override
  public CompletionStage<List<Optional<StoredMessage<T>>>> findAll(Collection<String> ids) {
    return queue.findAll(ids);
  }

  @Override
  public CompletionStage<Page<StoredMessage<T>>> browse(MessageQuery query) {
    return queue.browse(query);
  }

  @Override
  public CompletionStage<Counts> counts() {
    return queue.counts();
  }

  @Override
  public CompletionStage<Forecast> forecast(Instant from, Instant to, int buckets) {
    return queue.forecast(from, to, buckets);
  }

  @Override
  public CompletionStage<@Nullable Void> pause(PauseNote note) {
    return pause(true, () -> queue.pause(note));
  }

  @Override
  public CompletionStage<@Nullable Void> resume() {
    return pause(false, queue::resume);
  }

  private CompletionStage<@Nullable Void> pause(
      boolean paused, Supplier<CompletionStage<@Nullable Void>> change) {
    return changes.async(
        op -> new PauseInvoked(recording.now(), op, thread(), name, paused),
        change,
        (op, done) -> new QueueAnswered(recording.now(), op, 0));
  }

  @Override
  public CompletionStage<@Nullable Void> setLimits(QueueLimits limits) {
    return queue.setLimits(limits);
  }

  @Override
  public CompletionStage<QueueLimits> limits() {
    return queue.limits();
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return changes.<Long>async(
        op -> new PurgeInvoked(recording.now(), op, thread(), name, RecordingQueue.names(states)),
        () -> queue.purge(states),
        (op, count) -> new QueueAnswered(recording.now(), op, count));
  }

  private static long thread() {
    return Thread.currentThread().getId();
  }
}
