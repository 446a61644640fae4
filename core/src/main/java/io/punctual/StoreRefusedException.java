package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The store was reached and refused, and what was asked for has not been done. The store refuses
 * again until somebody changes something: a password, a right, a damaged file. The message says
 * what.
 */
public final class StoreRefusedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says what was refused and what to do, with its cause. */
  public StoreRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
