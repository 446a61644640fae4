package io.punctual.internal.queue;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.EnlistedQueue;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.Transaction;
import io.punctual.internal.message.Checks;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A queue whose changes join a transaction. Only the threads that may use the transaction may use
 * this object.
 */
public final class Enlisted<T> implements EnlistedQueue<T> {
  private final QueueView<T> view;
  private final Transaction transaction;

  public Enlisted(QueueView<T> view, Transaction transaction) {
    this.view = view;
    this.transaction = Objects.requireNonNull(transaction, "transaction");
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    List<ScheduleRequest> requests = ScheduleRequest.of(view, messages, ifPresent);
    Throwable failure = null;
    try {
      return schedule(requests);
    } catch (RuntimeException | Error e) {
      failure = StoreFailures.unwrap(e);
      throw e;
    } finally {
      for (ScheduleRequest request : requests) {
        request.intercepted().returned();
        request.intercepted().ended(failure);
      }
    }
  }

  private List<Scheduled> schedule(List<ScheduleRequest> requests) {
    List<Outcome.OfSchedule> done = new ArrayList<>(requests.size());
    List<Operation> operations =
        requests.stream().<Operation>map(ScheduleRequest::operation).toList();
    for (Outcome outcome : apply(operations)) {
      done.add(OutcomeCallback.as(Outcome.OfSchedule.class, outcome));
    }
    List<Scheduled> results = new ArrayList<>(requests.size());
    for (int i = 0; i < done.size(); i++) {
      ScheduleRequest request = requests.get(i);
      results.add(
          request.isCollision(done.get(i))
              ? schedule(List.of(request.withId(view.client().ids().next()))).get(0)
              : stored(request, done.get(i)));
    }
    return results;
  }

  private Scheduled stored(ScheduleRequest request, Outcome.OfSchedule done) {
    ScheduleOutcome outcome = done.outcome();
    if (view.env().events().hasObservers()) {
      transaction.afterCommit(
          () -> view.env().events().publish(() -> request.event(view.queue(), outcome)));
    }
    return request.result(done);
  }

  @Override
  public CancelOutcome cancel(String id) {
    view.client().require(Capability.CANCEL);
    return change(
        new Operation.Cancel(id),
        outcome -> OutcomeCallback.as(Outcome.OfCancel.class, outcome).outcome());
  }

  @Override
  public RescheduleOutcome reschedule(String id, Due due) {
    return reschedule(new Operation.Reschedule(id, DueTime.of(due)));
  }

  @Override
  public RescheduleOutcome runNow(String id) {
    return reschedule(new Operation.RunNow(id));
  }

  private RescheduleOutcome reschedule(Operation operation) {
    view.client().require(Capability.RESCHEDULE);
    return change(
        operation, outcome -> OutcomeCallback.as(Outcome.OfReschedule.class, outcome).outcome());
  }

  private <R> R change(Operation operation, Function<Outcome, R> read) {
    view.client().requireOpen();
    Checks.id(operation.id());
    R result = read.apply(apply(List.of(operation)).get(0));
    if (view.env().events().hasObservers()) {
      transaction.afterCommit(
          () ->
              new ChangeEvents(view.queue(), view.env().events())
                  .publishEnd(operation, CompletableFuture.completedFuture(result)));
    }
    return result;
  }

  /** Executes operations in the transaction; returns their outcomes in the same order. */
  private List<Outcome> apply(List<Operation> operations) {
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
        (partition, theirs) -> apply(partition.partition(), operations, theirs, outcomes));
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

  @Override
  public String toString() {
    return "EnlistedQueue[" + view.queue() + " in " + transaction + "]";
  }
}
