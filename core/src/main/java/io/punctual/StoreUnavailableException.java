package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached, or did not answer. A change of a queue was certainly not done, so
 * a retry is safe. A change of a lock may have been done.
 */
public final class StoreUnavailableException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a cause, whose message names the operation and the remedy. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
