package io.punctual;

/**
 * Too many operations of this client wait for the store, so that it accepts no more: schedule fewer
 * messages at once, or wait for their answers. Nothing was done. Settlements are always accepted.
 */
public final class ClientBusyException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says how much is waiting and what to do. */
  public ClientBusyException(String message) {
    super(message);
  }
}
