package io.punctual;

/**
 * The store has no room for the message, for example because its memory or disk is full. The
 * message was not stored. Claims, cancels and most settlements still work.
 */
public final class StoreFullException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the full resource or the limit, and the remedy. */
  public StoreFullException(String message) {
    super(message);
  }
}
