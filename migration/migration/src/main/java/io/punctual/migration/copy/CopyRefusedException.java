package io.punctual.migration.copy;

import io.punctual.PunctualException;

/** Thrown if a copy cannot begin, because its conditions are not met; no message was copied. */
public class CopyRefusedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception; the message names the queue and the reason, and a remedy if there is one.
   */
  public CopyRefusedException(String message) {
    super(message, null);
  }
}
