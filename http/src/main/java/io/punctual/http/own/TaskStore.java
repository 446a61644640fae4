package io.punctual.http.own;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Dispatch;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of tasks. A task has two: one with the order, which a process holds while it runs
 * the task, and a record with the progress, which is due when it may be forgotten. Thread-safe.
 */
final class TaskStore {
  /** The queue of the messages that processes hold. */
  static final String TASKS = Dispatch.OWN_QUEUES + "tasks";

  /** The queue of the records. */
  static final String RECORDS = Dispatch.OWN_QUEUES + "task-records";

  private static final Duration KEPT = Duration.ofDays(30);

  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");

  private final Queues queues;

  TaskStore(Queues queues) {
    this.queues = queues;
  }

  /**
   * Begins a task, or finds the task that has its id already. The message that holds the order is
   * stored first, by which the task has begun; its record follows, and is written again as the task
   * runs.
   */
  CompletionStage<TaskRecord> begin(TaskRecord record) {
    return find(record.id())
        .thenCompose(
            known ->
                known.isPresent()
                    ? CompletableFuture.completedFuture(known.get())
                    : beginNew(record));
  }

  private CompletionStage<TaskRecord> beginNew(TaskRecord record) {
    Message<byte[]> message =
        Message.of(record.toBytes()).id(record.id()).dueIn(record.order().delay());
    return queues
        .open(TASKS)
        .thenCompose(tasks -> tasks.async().schedule(message, IfPresent.KEEP))
        .thenCompose(
            stored ->
                stored.outcome() == ScheduleOutcome.KEPT
                    ? find(record.id()).thenApply(found -> found.orElse(record))
                    : recorded(record.createdAt(stored.dueAt().minus(record.order().delay()))));
  }

  private CompletionStage<TaskRecord> recorded(TaskRecord record) {
    return write(record, IfPresent.KEEP).handle((written, failure) -> told(record, failure));
  }

  private static TaskRecord told(TaskRecord record, @Nullable Throwable failure) {
    if (failure != null) {
      LOG.info(
          "The task {} has begun, but is listed only when it runs: {}",
          record.id(),
          failure.toString());
    }
    return record;
  }

  CompletionStage<@Nullable Void> save(TaskRecord record) {
    return write(record, IfPresent.REPLACE).thenApply(stored -> null);
  }

  private CompletionStage<Scheduled> write(TaskRecord record, IfPresent ifPresent) {
    return queues
        .open(RECORDS)
        .thenCompose(
            records ->
                records
                    .async()
                    .schedule(
                        Message.of(record.toBytes())
                            .id(record.id())
                            .dueAt(record.createdAt().plus(KEPT)),
                        ifPresent));
  }

  /** Finds a task by its record, or else by its message. */
  CompletionStage<Optional<TaskRecord>> find(String id) {
    return find(RECORDS, id)
        .thenCompose(
            found ->
                found.isPresent() ? CompletableFuture.completedFuture(found) : find(TASKS, id));
  }

  private CompletionStage<Optional<TaskRecord>> find(String queue, String id) {
    return queues
        .open(queue)
        .thenCompose(messages -> messages.async().find(id))
        .thenApply(
            found ->
                found
                    .filter(message -> message.state() != State.FINISHED)
                    .map(message -> TaskRecord.parse(message.payloadBytes())));
  }

  CompletionStage<Page<StoredMessage<byte[]>>> page(MessageQuery query) {
    return queues.open(RECORDS).thenCompose(records -> records.async().browse(query));
  }

  /** Asks the process that runs a task to end it, or removes a task that waits. */
  CompletionStage<CancelOutcome> cancel(String id) {
    return queues.open(TASKS).thenCompose(tasks -> tasks.async().cancel(id));
  }

  static CompletionStage<@Nullable Void> nothing() {
    return CompletableFuture.completedFuture(null);
  }
}
