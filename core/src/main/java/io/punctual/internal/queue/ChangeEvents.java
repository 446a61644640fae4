package io.punctual.internal.queue;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.event.Event;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Operation;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Publishes the events of changes to a queue's messages. Immutable. */
record ChangeEvents(String queue, Events events) {
  /**
   * Publishes the failure of a change, or its outcome if it is a cancel, a reschedule, or a redrive
   * or deletion of a dead letter that took effect.
   */
  void publishEnd(Operation operation, CompletableFuture<?> answer) {
    if (events.hasObservers()) {
      CompletableFuture<?> unused =
          answer.whenComplete((result, failure) -> ended(operation, result, failure));
    }
  }

  private void ended(Operation operation, @Nullable Object result, @Nullable Throwable failure) {
    if (failure != null) {
      failed(operation, failure);
    } else if (result instanceof CancelOutcome outcome) {
      events.publish(() -> new Event.MessageCancelled(queue, operation.id(), outcome));
    } else if (result instanceof RescheduleOutcome outcome) {
      events.publish(() -> new Event.MessageRescheduled(queue, operation.id(), outcome));
    } else if (result == DeadLetterOutcome.DONE) {
      events.publish(
          () ->
              operation instanceof Operation.Redrive
                  ? new Event.DeadLetterRedriven(queue, operation.id())
                  : new Event.DeadLetterDeleted(queue, operation.id()));
    }
  }

  /** Publishes that a change has failed. */
  void failed(Operation operation, Throwable failure) {
    String name = operation.getClass().getSimpleName();
    String lower = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    Throwable cause = StoreFailures.unwrap(failure);
    events.publish(() -> new Event.OperationFailed(queue, lower, operation.id(), cause));
  }
}
