package io.punctual.internal.queue;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.RescheduleOutcome;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.Collection;
import java.util.List;

/** Cancels and reschedules messages by their ids. Thread-safe. */
public record Changes<T>(QueueView<T> view) {
  public Awaited<CancelOutcome> cancel(String id) {
    view.client().require(Capability.CANCEL);
    return view.submit(new Operation.Cancel(id), Changes::cancelled);
  }

  public Awaited<List<CancelOutcome>> cancelAll(Collection<String> ids) {
    view.client().require(Capability.CANCEL);
    return view.submitAll(ids.stream().map(Operation.Cancel::new).toList(), Changes::cancelled);
  }

  private static CancelOutcome cancelled(Outcome outcome) {
    return OutcomeCallback.as(Outcome.OfCancel.class, outcome).outcome();
  }

  public Awaited<RescheduleOutcome> reschedule(String id, Due due) {
    return reschedule(new Operation.Reschedule(id, DueTime.of(due)));
  }

  public Awaited<RescheduleOutcome> runNow(String id) {
    return reschedule(new Operation.RunNow(id));
  }

  private Awaited<RescheduleOutcome> reschedule(Operation operation) {
    view.client().require(Capability.RESCHEDULE);
    return view.submit(
        operation, outcome -> OutcomeCallback.as(Outcome.OfReschedule.class, outcome).outcome());
  }
}
