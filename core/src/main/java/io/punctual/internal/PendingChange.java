package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A blocking caller's change to one message, which has no answer yet. Immutable. */
record PendingChange(QueuePartitions partitions, Operation operation, OutcomeCallback<?> callback) {
  /** Withdraws the change, as soon as it is certain that no call has carried it. */
  void withdraw() {
    callback.withdraw();
    partitions.of(operation.id()).session().endWithdrawn();
  }

  OutcomeUnknownException unanswered(String why, @Nullable Throwable cause) {
    return OperationFailures.outcomeUnknown(operation, partitions.queue(), why, cause);
  }
}
