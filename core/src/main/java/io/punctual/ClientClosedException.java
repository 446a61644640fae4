package io.punctual;

import io.punctual.task.Task;
import org.jspecify.annotations.Nullable;

/**
 * The client, for example the {@link Punctual}, is closed, and the operation was not done. There
 * are two exceptions: a {@link Task} may have changed some messages, and a request of a lock that
 * was in flight may have been done. Further calls of this client fail too, so a retry loop must end
 * at this exception.
 */
public final class ClientClosedException extends NotDoneException {
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
