package io.punctual;

import java.time.Duration;

/**
 * A handler exceeded {@link WorkerOptions#handlerTimeout()}. The retry policy receives this
 * exception.
 */
public final class HandlerTimeoutException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception for this limit. */
  public HandlerTimeoutException(Duration limit) {
    super("The handler ran longer than " + limit + " and was interrupted");
  }
}
