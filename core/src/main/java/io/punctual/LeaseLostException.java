package io.punctual;

/**
 * A settlement inside a transaction had no effect, because the delivery has lost its lease. A
 * different consumer may process the message, so the transaction must roll back.
 */
public final class LeaseLostException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the delivery and the remedy. */
  public LeaseLostException(String message) {
    super(message);
  }
}
