package io.punctual.internal.partition;

import io.punctual.OutcomeUnknownException;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message that was not answered yet. Immutable. */
public record PendingChange<T>(
    QueuePartitions partitions, Operation operation, OutcomeCallback<T> answer)
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
