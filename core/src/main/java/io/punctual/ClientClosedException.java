package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The {@link Punctual} or the client of the locks is closed, and the operation was not done. A
 * {@link DeadLetterTask} that ends with this exception may have changed some dead letters. Further
 * calls of this client fail too, so a retry loop must end at this exception.
 */
public final class ClientClosedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the operation. */
  public ClientClosedException(String message) {
    super(message);
  }

  /** Creates an exception with a cause, whose message names the operation. */
  public ClientClosedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
