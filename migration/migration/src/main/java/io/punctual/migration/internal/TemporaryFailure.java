package io.punctual.migration.internal;

import io.punctual.BatchException;
import io.punctual.ClientBusyException;
import io.punctual.LockedByTransactionException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreFullException;
import io.punctual.StoreUnavailableException;
import java.util.concurrent.CompletionException;

/** The failures after which a run repeats its step. */
final class TemporaryFailure {
  private TemporaryFailure() {}

  static boolean is(Throwable failure) {
    return failure instanceof StoreUnavailableException
        || failure instanceof OutcomeUnknownException
        || failure instanceof NotConfirmedException
        || failure instanceof ClientBusyException
        || failure instanceof LockedByTransactionException
        || failure instanceof StoreFullException
        || (failure instanceof BatchException batch && isAll(batch));
  }

  private static boolean isAll(BatchException batch) {
    return batch.outcomes().stream()
        .flatMap(outcome -> outcome.failure().stream())
        .allMatch(TemporaryFailure::is);
  }

  /** Returns the cause of a {@link CompletionException}; any other failure is returned itself. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
