package io.punctual.internal.session;

import io.punctual.Durability;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * An operation that has no answer yet. Immutable.
 *
 * @param durability where the change must be stored, or null for the store's own setting
 * @param deadlineNanos the time at which the client gives up the operation, on the timer's clock
 */
record PendingOperation(
    Operation operation,
    @Nullable Durability durability,
    OperationCallback callback,
    long deadlineNanos)
    implements Pending {
  boolean isWithdrawn() {
    return callback.isWithdrawn();
  }

  boolean isSettlement() {
    return operation instanceof Operation.Settlement;
  }

  void completed(Outcome outcome, long firstSentNanos) {
    callback.completed(outcome, firstSentNanos);
  }

  @Override
  public void failed(RuntimeException reason) {
    callback.failed(reason);
  }
}
