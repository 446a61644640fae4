package io.punctual.internal.session;

/**
 * A claim ended without an answer, for example because its session was lost, or because the store
 * refused to repeat the reply. Messages that the claim may have leased are delivered again when
 * their leases expire; the messages of an at-most-once claim are lost. The next claim may succeed
 * at once.
 */
public final class SessionLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SessionLostException() {
    super("The claim ended without an answer; claim again", null, false, false);
  }
}
