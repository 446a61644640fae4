package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message that has no answer yet, as its caller sees it. */
record PendingChange(QueuePartitions partitions, Operation operation, OutcomeCallback<?> callback) {
  /** Takes the change back, now or as soon as it is certain that it was not sent. */
  void withdraw() {
    callback.withdraw();
    partitions.of(operation.id()).session().endWithdrawn();
  }

  OutcomeUnknownException unanswered(String why, @Nullable Throwable cause) {
    return OperationFailures.outcomeUnknown(operation, partitions.queue(), why, cause);
  }
}
