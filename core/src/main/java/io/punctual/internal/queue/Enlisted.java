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
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
  private final TransactionCalls calls;

  public Enlisted(QueueView<T> view, Transaction transaction) {
    this.view = view;
    this.transaction = Objects.requireNonNull(transaction, "transaction");
    this.calls = new TransactionCalls(view, transaction);
  }

  @Override
  public List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    List<ScheduleRequest> requests = ScheduleRequest.of(view, messages, ifPresent);
    Throwable failure = null;
    try {
      return schedule(requests);
    } catch (RuntimeException e) {
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
    for (Outcome outcome : calls.apply(operations)) {
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
    R result = read.apply(calls.apply(List.of(operation)).get(0));
    if (view.env().events().hasObservers()) {
      transaction.afterCommit(
          () ->
              new ChangeEvents(view.queue(), view.env().events())
                  .publishEnd(operation, CompletableFuture.completedFuture(result)));
    }
    return result;
  }

  @Override
  public String toString() {
    return "EnlistedQueue[" + view.queue() + " in " + transaction + "]";
  }
}
