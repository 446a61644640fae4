package io.punctual.internal.session;

import io.punctual.Durability;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/** An operation or a claim that has no answer yet, with its caller's callback. Immutable. */
sealed interface Pending {
  /**
   * Notifies the caller's callback that no answer will arrive. Called without the session's lock.
   */
  void failed(RuntimeException reason);

  /** Like {@link #failed}, if it was certainly not done, for a reason that may pass. */
  default void refusedForNow(RuntimeException reason) {
    failed(reason);
  }

  /**
   * An operation that has no answer yet.
   *
   * @param durability where the change must be stored, or null for the store's own setting
   * @param deadlineNanos the time at which the client gives up the operation, on the timer's clock
   */
  record OfOperation(
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

    @Override
    public void refusedForNow(RuntimeException reason) {
      callback.refusedForNow(reason);
    }
  }

  /** A claim that has no answer yet. */
  record OfClaim(Call.Claim claim, ClaimCallback callback) implements Pending {
    void claimed(Reply.Claimed claimed, long firstSentNanos) {
      callback.claimed(claimed, firstSentNanos);
    }

    @Override
    public void failed(RuntimeException reason) {
      callback.failed(reason);
    }
  }
}
