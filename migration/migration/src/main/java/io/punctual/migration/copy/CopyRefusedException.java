package io.punctual.migration.copy;

import io.punctual.PunctualException;

/** Thrown if a copy cannot begin, because its conditions are not met; no message was copied. */
public final class CopyRefusedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the queue, the reason and the remedy. */
  public CopyRefusedException(String message) {
    super(message, null);
  }
}
