package io.punctual.lock;

import io.punctual.PunctualException;

/**
 * The lock was lost before its release: another handle may have held it meanwhile, and may have
 * changed the guarded resource.
 */
public final class LockLostException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that names the lock. */
  public LockLostException(String message) {
    super(message);
  }
}
