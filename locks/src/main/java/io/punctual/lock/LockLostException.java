package io.punctual.lock;

import io.punctual.PunctualException;

/**
 * The lock was lost while it was believed to be held: what it guarded may have been touched by
 * others meanwhile.
 */
public final class LockLostException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that names the lock. */
  public LockLostException(String message) {
    super(message);
  }
}
