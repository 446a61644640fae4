package io.punctual.jdbc.partition;

/**
 * Thrown by a call that has waited for the locks of an open transaction, and had no effect. The
 * call is executed again where it can wait longer.
 */
final class LockedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockedException(Throwable cause) {
    super(cause);
  }
}
