package io.punctual.lock;

import io.punctual.PunctualException;

/**
 * The lock was lost before its release: a different handle may have held it meanwhile, and may have
 * changed the guarded resource.
 */
public final class LockLostException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with this message. */
  public LockLostException(String message) {
    super(message);
  }
}
