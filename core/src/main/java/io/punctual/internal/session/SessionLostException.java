package io.punctual.internal.session;

/**
 * A claim ended with its session. Messages that it may have leased are delivered again when their
 * leases expire. The next claim may succeed at once.
 */
public final class SessionLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SessionLostException() {
    super("The session was lost before the claim was answered; claim again", null, false, false);
  }
}
