package io.punctual;

/**
 * The store has no room for another message: its memory or disk is full. The message was not
 * stored. Claims, settlements and cancels go on.
 */
public final class StoreFullException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says what is full and what to do. */
  public StoreFullException(String message) {
    super(message);
  }
}
