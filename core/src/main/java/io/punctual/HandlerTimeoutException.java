package io.punctual;

import java.time.Duration;

/** A handler ran longer than {@link WorkerOptions#handlerTimeout()}; seen by retry policies. */
public final class HandlerTimeoutException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one for this limit. */
  public HandlerTimeoutException(Duration limit) {
    super("The handler ran longer than " + limit + " and was interrupted");
  }
}
