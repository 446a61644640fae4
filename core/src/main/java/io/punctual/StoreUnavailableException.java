package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached, and what was asked for has certainly not been done. It is safe to
 * ask again.
 */
public final class StoreUnavailableException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says what failed and what to do, with its cause. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
