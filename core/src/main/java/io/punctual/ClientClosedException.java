package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The {@link Punctual} is closed, and what was asked for has not been done. Asking this client
 * again never helps: a loop that tries again must end here.
 */
public final class ClientClosedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says what was not done. */
  public ClientClosedException(String message) {
    super(message);
  }

  /** Creates one that says what was not done, with its cause. */
  public ClientClosedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
