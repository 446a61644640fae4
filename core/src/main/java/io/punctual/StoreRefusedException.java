package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The store was reached and refused the operation, which was not done. The store refuses again
 * until the cause is fixed, such as a wrong password, a missing right or a damaged file. The
 * message names the cause.
 */
public final class StoreRefusedException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a cause, whose message names the operation and the remedy. */
  public StoreRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
