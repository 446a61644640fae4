package io.punctual.internal.queue;

import io.punctual.Transaction;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Executes operations of a queue inside a transaction, on the calling thread. Immutable. */
record TransactionCalls(QueueView<?> view, Transaction transaction) {
  /** Executes operations; returns their outcomes in the same order. */
  List<Outcome> apply(List<Operation> operations) {
    BlockingGuard.requireBlockable();
    if (operations.isEmpty()) {
      return List.of();
    }
    try {
      return applyCorrected(operations);
    } catch (RuntimeException e) {
      Operation first = operations.get(0);
      RuntimeException failure = OperationFailures.refused(first, view.queue(), e);
      ChangeEvents events = new ChangeEvents(view.queue(), view.env().events());
      operations.forEach(operation -> events.failed(operation, failure));
      throw failure;
    }
  }

  /**
   * Executes operations, and repeats them if the number of partitions was stale. The repetition is
   * safe, because the store checks that number before it executes any operation.
   */
  private List<Outcome> applyCorrected(List<Operation> operations) {
    try {
      return applyByPartition(operations);
    } catch (Partition.PartitionCountException e) {
      view.await(
          () ->
              new Awaited.Question<>(
                  "The number of partitions of queue '" + view.queue() + "'",
                  view.client().correct(view.partitions()).thenApply(nothing -> true)));
      return applyByPartition(operations);
    }
  }

  private List<Outcome> applyByPartition(List<Operation> operations) {
    Map<PartitionClient, List<Integer>> indexes = new LinkedHashMap<>();
    for (int i = 0; i < operations.size(); i++) {
      indexes
          .computeIfAbsent(
              view.partitions().of(operations.get(i).id()), partition -> new ArrayList<>())
          .add(i);
    }
    Outcome[] outcomes = new Outcome[operations.size()];
    indexes.forEach(
        (partition, theirs) -> {
          for (int from = 0; from < theirs.size(); from += Partition.MAX_OPERATIONS) {
            int to = Math.min(from + Partition.MAX_OPERATIONS, theirs.size());
            apply(partition.partition(), operations, theirs.subList(from, to), outcomes);
          }
        });
    return Arrays.asList(outcomes);
  }

  private void apply(
      Partition partition, List<Operation> operations, List<Integer> indexes, Outcome[] outcomes) {
    List<Outcome> applied =
        partition.applyIn(transaction, indexes.stream().map(operations::get).toList());
    for (int i = 0; i < indexes.size(); i++) {
      outcomes[indexes.get(i)] = applied.get(i);
    }
  }
}
