package io.punctual.internal.session;

import io.punctual.LockedByTransactionException;
import io.punctual.PunctualException;
import io.punctual.StoreFullException;
import io.punctual.spi.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A future for the outcome of an operation. */
public final class OutcomeCallback<T> extends CompletableFuture<T> implements OperationCallback {
  private final Function<Outcome, T> read;
  private volatile boolean withdrawn;

  public OutcomeCallback(Function<Outcome, T> read) {
    this.read = read;
  }

  @Override
  public boolean isWithdrawn() {
    return withdrawn;
  }

  /** Marks the operation as withdrawn; the session ends it if it was certainly not sent. */
  public void withdraw() {
    withdrawn = true;
  }

  @Override
  public void completed(Outcome outcome, long firstSentNanos) {
    try {
      complete(read.apply(outcome));
    } catch (RuntimeException | Error e) {
      completeExceptionally(e);
    }
  }

  @Override
  public void failed(RuntimeException reason) {
    completeExceptionally(reason);
  }

  /**
   * Casts an outcome to the expected type.
   *
   * @throws PunctualException if the outcome is a failure or has a different type
   */
  public static <O extends Outcome> O as(Class<O> type, Outcome outcome) {
    if (outcome instanceof Outcome.Full full) {
      throw new StoreFullException(full.why());
    }
    if (outcome instanceof Outcome.Failed failed) {
      throw new PunctualException(failed.why());
    }
    if (outcome instanceof Outcome.Busy busy) {
      throw new LockedByTransactionException(busy.why());
    }
    if (!type.isInstance(outcome)) {
      throw new PunctualException(
          "The store answered " + outcome + " to a different kind of operation");
    }
    return type.cast(outcome);
  }
}
