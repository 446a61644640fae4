package io.punctual;

/**
 * The client rejects an operation because too many operations, or too many bytes of schedules, wait
 * for the store, or because the thread of a schedule was interrupted while it waited for room; the
 * interrupt flag is then set. The rejected operations were not done. Schedule fewer messages at
 * once, or wait for replies. The client accepts settlements at any time.
 */
public final class ClientBusyException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the waiting operations or bytes, and the remedy. */
  public ClientBusyException(String message) {
    super(message);
  }
}
