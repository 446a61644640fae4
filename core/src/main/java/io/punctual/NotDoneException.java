package io.punctual;

import io.punctual.task.Task;
import org.jspecify.annotations.Nullable;

/**
 * A call on a queue was not done, so the same call can be made again: at once, later, or after the
 * cause is fixed, as the subclass says. A call for several messages, a purge and a {@link Task} may
 * have changed some messages before, and a call on a lock may have been done; see the subclass.
 */
public abstract sealed class NotDoneException extends PunctualException
    permits ClientBusyException,
        ClientClosedException,
        LockedByTransactionException,
        StoreFullException,
        StoreRefusedException,
        StoreUnavailableException {
  private static final long serialVersionUID = 1L;

  NotDoneException(String message) {
    super(message);
  }

  NotDoneException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
