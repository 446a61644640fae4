package io.punctual.internal.partition;

import io.punctual.Durability;
import io.punctual.OutcomeUnknownException;
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
      throw worst(StoreFailures.unwrap(failure));
    }
    return changes.stream().map(change -> change.answer().join()).toList();
  }

  /**
   * Returns the failure of a change whose outcome is unknown, or {@code any} if there is no such
   * change. The caller must not read "not done" if one of the changes may have been done.
   */
  private CompletionException worst(Throwable any) {
    return changes.stream()
        .filter(change -> change.answer().isCompletedExceptionally())
        .map(change -> StoreFailures.failure(change.answer()))
        .filter(OutcomeUnknownException.class::isInstance)
        .findFirst()
        .map(CompletionException::new)
        .orElseGet(() -> new CompletionException(any));
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

  @Override
  public RuntimeException unanswered(String why, @Nullable Throwable cause) {
    long open = changes.stream().filter(change -> !change.answer().isDone()).count();
    return new OutcomeUnknownException(
        "A batch for queue '"
            + partitions.queue()
            + "' "
            + why
            + ": "
            + open
            + " of its "
            + changes.size()
            + " messages may have been changed or not",
        null,
        cause);
  }
}
