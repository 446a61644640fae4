package io.punctual.internal.session;

/**
 * A claim ended with its session. The messages that it may have leased come back when the leases
 * run out; the next claim may succeed at once.
 */
public final class SessionLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SessionLostException() {
    super("The session was lost before the claim had its answer; claim again", null, false, false);
  }
}
