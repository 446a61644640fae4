package io.punctual.internal.delivery;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A settlement that is submitted again, at most until the end of the lease, while an open
 * transaction has locked its message, or while the store has certainly not executed it: it was not
 * reached in time, or it refused for a reason that may pass. Thread-safe.
 */
final class RepeatedSettlement implements OperationCallback {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final SettlementContext settling;
  private final Environment env;
  private final PartitionSession session;
  private final Operation.Settlement operation;
  private final BooleanSupplier leaseLasts;
  private final OperationCallback callback;
  private volatile long pauseNanos = PAUSE_NANOS;

  RepeatedSettlement(
      SettlementContext settling,
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
    session.submitDeferrable(List.of(operation), settling.durability(), List.of(this));
  }

  @Override
  public void completed(Outcome outcome, long firstSentNanos) {
    if (!(outcome instanceof Outcome.Busy) || !repeats(PAUSE_NANOS)) {
      callback.completed(outcome, firstSentNanos);
    }
  }

  private boolean repeats(long nanos) {
    return leaseLasts.getAsBoolean() && session.after(nanos, this::submit);
  }

  @Override
  public void failed(RuntimeException reason) {
    callback.failed(reason);
  }

  @Override
  public void refusedForNow(RuntimeException reason) {
    long pause = pauseNanos;
    // Settlements that were refused together, perhaps because of one of them, part in this way.
    long random = env.randomGenerator().nextLong(pause);
    pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    if (!repeats(pause / 2 + random)) {
      callback.failed(reason);
    }
  }
}
