package io.punctual.internal.partition;

import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;

/** A change to one message that has no answer yet. Immutable. */
public record PendingChange<R>(
    QueuePartitions partitions, Operation operation, OutcomeCallback<R> answer)
    implements MessageChange<R> {
  @Override
  public OperationCallback callback() {
    return answer;
  }

  @Override
  public void markWithdrawn() {
    answer.withdraw();
  }
}
