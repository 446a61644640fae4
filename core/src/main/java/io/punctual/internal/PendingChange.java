package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message, which has no answer yet. Immutable. */
record PendingChange<T>(QueuePartitions partitions, Operation operation, OutcomeCallback<T> answer)
    implements Awaited<T> {
  @Override
  public void withdraw() {
    answer.withdraw();
    partitions.of(operation.id()).session().endWithdrawn();
  }

  @Override
  public OutcomeUnknownException unanswered(String why, @Nullable Throwable cause) {
    return OperationFailures.outcomeUnknown(operation, partitions.queue(), why, cause);
  }
}
