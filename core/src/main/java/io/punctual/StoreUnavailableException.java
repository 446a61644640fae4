package io.punctual;

import org.jspecify.annotations.Nullable;

/** The store could not be reached, and the operation was certainly not done. A retry is safe. */
public final class StoreUnavailableException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a cause, whose message names the operation and the remedy. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
