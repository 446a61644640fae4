package io.punctual.http.access;

/** Thrown when a request has no valid proof of its sender. */
public final class UnauthenticatedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the sender, which must not say what was wrong. */
  public UnauthenticatedException(String message) {
    super(message, null, false, false);
  }
}
