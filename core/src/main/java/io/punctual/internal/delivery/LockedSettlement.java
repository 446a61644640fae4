package io.punctual.internal.delivery;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.Linger;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A settlement that is submitted again while an open transaction has locked its message, at most
 * until the end of the lease. Thread-safe.
 */
final class LockedSettlement implements OperationCallback {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Settling settling;
  private final Environment env;
  private final PartitionSession session;
  private final Operation.Settlement operation;
  private final BooleanSupplier leaseLasts;
  private final OperationCallback callback;

  LockedSettlement(
      Settling settling,
      PartitionSession session,
      Operation.Settlement operation,
      BooleanSupplier leaseLasts,
      OperationCallback callback) {
    this.settling = settling;
    this.env = settling.env();
    this.session = session;
    this.operation = operation;
    this.leaseLasts = leaseLasts;
    this.callback = callback;
  }

  void submit() {
    session.submit(operation, settling.durability(), this);
  }

  void submitDeferrable() {
    session.submitDeferrable(
        List.of(operation), settling.durability(), List.of(this), Linger.SHORT);
  }

  @Override
  public void completed(Outcome outcome, long firstSentNanos) {
    if (outcome instanceof Outcome.Busy && leaseLasts.getAsBoolean() && repeats()) {
      return;
    }
    callback.completed(outcome, firstSentNanos);
  }

  private boolean repeats() {
    try {
      env.timer().schedule(PAUSE_NANOS, this::submit);
      return true;
    } catch (RejectedExecutionException timerClosed) {
      return false;
    }
  }

  @Override
  public void failed(RuntimeException reason) {
    callback.failed(reason);
  }
}
