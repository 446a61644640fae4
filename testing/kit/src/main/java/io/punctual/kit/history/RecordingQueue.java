package io.punctual.kit.history;

import io.punctual.AsyncHandler;
import io.punctual.AsyncTimedQueue;
import io.punctual.BatchHandler;
import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Durability;
import io.punctual.EnlistedQueue;
import io.punctual.Forecast;
import io.punctual.Handler;
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
import io.punctual.TimedQueue;
import io.punctual.Transaction;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadLetters;
import io.punctual.kit.history.HistoryEvent.PauseInvoked;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RunNowInvoked;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Records the changes of messages and the deliveries of a queue, except changes inside a
 * transaction and messages that are taken. Safe for use by many threads.
 */
final class RecordingQueue<T> implements TimedQueue<T> {
  private final TimedQueue<T> queue;
  private final Recording recording;
  private final RecordedChanges changes;
  private final RecordedSchedules<T> schedules;
  private final RecordedCancels cancels;
  private final RecordedDeliveries deliveries;

  RecordingQueue(TimedQueue<T> queue, Recording recording) {
    this.queue = queue;
    this.recording = recording;
    changes = new RecordedChanges(recording);
    schedules = new RecordedSchedules<>(queue, recording, changes);
    cancels = new RecordedCancels(queue, recording, changes);
    deliveries = new RecordedDeliveries(recording);
  }

  @Override
  public String name() {
    return queue.name();
  }

  @Override
  public int partitions() {
    return queue.partitions();
  }

  @Override
  public AsyncTimedQueue<T> async() {
    return new AsyncRecordingQueue<>(
        queue.async(), name(), recording, changes, schedules, cancels, deliveries);
  }

  @Override
  public Scheduled schedule(Message<T> message, IfPresent ifPresent) {
    return schedules.schedule(message, ifPresent);
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    return schedules.scheduleAll(messages, ifPresent);
  }

  @Override
  public CancelOutcome cancel(String id) {
    return cancels.cancel(id);
  }

  @Override
  public List<CancelOutcome> cancelAll(Collection<String> ids) {
    return cancels.cancelAll(ids);
  }

  @Override
  public Task<TaskProgress> change(
      MessageFilter filter, MessageChange change, TaskOptions options) {
    throw new UnsupportedOperationException("A history has no changes of unknown messages");
  }

  /** Settles without a record, because {@link RecordingPartition} records the settlements. */
  @Override
  public List<SettleOutcome> settle(Collection<? extends Settlement> settlements) {
    return queue.settle(settlements);
  }

  @Override
  public RescheduleOutcome reschedule(String id, Due due) {
    return changes.blocking(
        op -> schedules.rescheduleInvoked(op, id, due),
        () -> queue.reschedule(id, due),
        schedules::rescheduled);
  }

  @Override
  public RescheduleOutcome runNow(String id) {
    return changes.blocking(
        op -> new RunNowInvoked(recording.now(), op, thread(), name(), id),
        () -> queue.runNow(id),
        schedules::rescheduled);
  }

  @Override
  public Worker work(Handler<T> handler) {
    return queue.work(deliveries.handler(handler));
  }

  @Override
  public Worker work(WorkerOptions options, Handler<T> handler) {
    return queue.work(options, deliveries.handler(handler));
  }

  @Override
  public Worker workStages(AsyncHandler<T> handler) {
    return queue.workStages(deliveries.asyncHandler(handler));
  }

  @Override
  public Worker workStages(WorkerOptions options, AsyncHandler<T> handler) {
    return queue.workStages(options, deliveries.asyncHandler(handler));
  }

  @Override
  public Worker workBatches(BatchHandler<T> handler) {
    return queue.workBatches(deliveries.batchHandler(handler));
  }

  @Override
  public Worker workBatches(WorkerOptions options, BatchHandler<T> handler) {
    return queue.workBatches(options, deliveries.batchHandler(handler));
  }

  @Override
  public List<Delivery<T>> claim(int max, ClaimOptions options) {
    return handedOver(queue.claim(max, options));
  }

  private List<Delivery<T>> handedOver(List<Delivery<T>> claimed) {
    claimed.forEach(deliveries::handedOver);
    return claimed;
  }

  @Override
  public List<Message<T>> take(int max, ClaimOptions options) {
    return queue.take(max, options);
  }

  @Override
  public Optional<StoredMessage<T>> find(String id) {
    return queue.find(id);
  }

  @Override
  public List<Optional<StoredMessage<T>>> findAll(Collection<String> ids) {
    return queue.findAll(ids);
  }

  @Override
  public Page<StoredMessage<T>> browse(MessageQuery query) {
    return queue.browse(query);
  }

  @Override
  public Counts counts() {
    return queue.counts();
  }

  @Override
  public Forecast forecast(Instant from, Instant to, int buckets) {
    return queue.forecast(from, to, buckets);
  }

  @Override
  public void pause(PauseNote note) {
    pause(true, () -> queue.pause(note));
  }

  @Override
  public void resume() {
    pause(false, queue::resume);
  }

  private void pause(boolean paused, Runnable change) {
    changes.<Boolean>blocking(
        op -> new PauseInvoked(recording.now(), op, thread(), name(), paused),
        () -> {
          change.run();
          return paused;
        },
        (op, done) -> new QueueAnswered(recording.now(), op, 0));
  }

  @Override
  public void setLimits(QueueLimits limits) {
    queue.setLimits(limits);
  }

  @Override
  public QueueLimits limits() {
    return queue.limits();
  }

  @Override
  public long purge(Set<State> states) {
    return changes.<Long>blocking(
        op -> new PurgeInvoked(recording.now(), op, thread(), name(), names(states)),
        () -> queue.purge(states),
        (op, count) -> new QueueAnswered(recording.now(), op, count));
  }

  static String names(Set<State> states) {
    return states.stream().map(State::name).sorted().collect(Collectors.joining(","));
  }

  @Override
  public DeadLetters<T> deadLetters() {
    return new RecordingDeadLetters<>(queue.deadLetters(), name(), recording);
  }

  /** Changes inside a transaction are not recorded. */
  @Override
  public EnlistedQueue<T> inTransaction(Transaction transaction) {
    return queue.inTransaction(transaction);
  }

  @Override
  public TimedQueue<T> withDurability(Durability durability) {
    return new RecordingQueue<>(queue.withDurability(durability), recording);
  }

  @Override
  public TimedQueue<T> withTimeout(Duration timeout) {
    return new RecordingQueue<>(queue.withTimeout(timeout), recording);
  }

  @Override
  public TimedQueue<T> withDeadHandler(DeadHandler<T> handler) {
    return new RecordingQueue<>(queue.withDeadHandler(handler), recording);
  }

  private static long thread() {
    return Thread.currentThread().getId();
  }
}
