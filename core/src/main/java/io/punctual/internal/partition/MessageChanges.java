package io.punctual.internal.partition;

import io.punctual.BatchException;
import io.punctual.BatchException.Status;
import io.punctual.Durability;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.OperationCallback;
import io.punctual.spi.Operation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Changes to many messages of a queue, submitted together. Thread-safe. */
public final class MessageChanges<R> implements Awaited<List<R>> {
  private final QueuePartitions partitions;
  private final List<? extends MessageChange<R>> changes;
  private final CompletableFuture<List<R>> all;

  public MessageChanges(QueuePartitions partitions, List<? extends MessageChange<R>> changes) {
    this.partitions = partitions;
    this.changes = changes;
    this.all =
        CompletableFuture.allOf(
                changes.stream().map(MessageChange::answer).toArray(CompletableFuture<?>[]::new))
            .handle(this::results);
  }

  private List<R> results(@Nullable Void nothing, @Nullable Throwable failure) {
    if (failure != null) {
      throw new CompletionException(failure(StoreFailures.unwrap(failure)));
    }
    return changes.stream().map(change -> change.answer().join()).toList();
  }

  /**
   * Returns the exception of a batch whose changes have all ended: {@code any} of their failures if
   * all changes have the same status, otherwise a {@link BatchException}.
   */
  private Throwable failure(Throwable any) {
    List<BatchException.Outcome> outcomes =
        changes.stream().map(change -> outcome(change, "got no answer", null)).toList();
    return hasOneStatus(outcomes) ? any : mixed(outcomes, any);
  }

  private static boolean hasOneStatus(List<BatchException.Outcome> outcomes) {
    return outcomes.stream().map(BatchException.Outcome::status).distinct().count() == 1;
  }

  private BatchException mixed(List<BatchException.Outcome> outcomes, @Nullable Throwable cause) {
    return new BatchException(
        what(), outcomes, StoreFailures.reason(cause), StoreFailures.forUser(cause));
  }

  private String what() {
    return "A batch of " + changes.size() + " changes in queue '" + partitions.queue() + "'";
  }

  private BatchException.Outcome outcome(
      MessageChange<R> change, String why, @Nullable Throwable cause) {
    String id = change.operation().id();
    CompletableFuture<R> answer = change.answer();
    if (answer.isDone() && !answer.isCompletedExceptionally()) {
      return new BatchException.Outcome(
          id, Status.DONE, Optional.ofNullable(answer.join()), Optional.empty());
    }
    RuntimeException failure =
        answer.isDone() ? runtime(StoreFailures.failure(answer)) : change.unanswered(why, cause);
    return new BatchException.Outcome(id, status(failure), Optional.empty(), Optional.of(failure));
  }

  private static RuntimeException runtime(Throwable failure) {
    return failure instanceof RuntimeException e ? e : new PunctualException("It failed", failure);
  }

  private static Status status(RuntimeException failure) {
    if (failure instanceof OutcomeUnknownException) {
      return Status.UNKNOWN;
    }
    return failure instanceof NotConfirmedException ? Status.DONE : Status.NOT_DONE;
  }

  /** Submits the changes, in their order within each partition. */
  public void submit(@Nullable Durability durability) {
    Map<PartitionClient, List<MessageChange<R>>> byPartition = new LinkedHashMap<>();
    for (MessageChange<R> change : changes) {
      byPartition
          .computeIfAbsent(partitions.of(change.operation().id()), partition -> new ArrayList<>())
          .add(change);
    }
    byPartition.forEach((partition, theirs) -> submit(partition, durability, theirs));
  }

  private static void submit(
      PartitionClient partition,
      @Nullable Durability durability,
      Collection<? extends MessageChange<?>> changes) {
    List<Operation> operations = new ArrayList<>(changes.size());
    List<OperationCallback> callbacks = new ArrayList<>(changes.size());
    for (MessageChange<?> change : changes) {
      operations.add(change.operation());
      callbacks.add(change.callback());
    }
    partition.session().submit(operations, durability, callbacks);
  }

  @Override
  public CompletableFuture<List<R>> answer() {
    return all;
  }

  @Override
  public void withdraw() {
    Set<PartitionClient> theirs = new LinkedHashSet<>();
    for (MessageChange<R> change : changes) {
      change.markWithdrawn();
      theirs.add(partitions.of(change.operation().id()));
    }
    theirs.forEach(partition -> partition.session().endWithdrawn());
  }

  /** Returns the number of changes that have ended, so that a batch may take its time. */
  @Override
  public long progress() {
    return changes.stream().filter(change -> change.answer().isDone()).count();
  }

  @Override
  public RuntimeException unanswered(String why, @Nullable Throwable cause) {
    List<BatchException.Outcome> outcomes =
        changes.stream().map(change -> outcome(change, why, cause)).toList();
    if (!hasOneStatus(outcomes)) {
      return mixed(outcomes, cause);
    }
    return changes.size() == 1 || outcomes.get(0).status() != Status.UNKNOWN
        ? outcomes.get(0).failure().orElseGet(() -> mixed(outcomes, cause))
        : new OutcomeUnknownException(
            "A batch for queue '"
                + partitions.queue()
                + "' "
                + why
                + ": "
                + changes.size()
                + " of its "
                + changes.size()
                + " messages may have been changed or not."
                + StoreFailures.reason(cause),
            null,
            StoreFailures.forUser(cause));
  }
}
