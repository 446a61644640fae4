package io.punctual;

/**
 * The codec threw an exception for the payload of a message. The cause is the codec's exception.
 * The retry policy receives this exception, so a rule can bury such messages at once:
 *
 * <pre>{@code
 * RetryPolicy.DEFAULT.forFailure(UndecodableException.class, RetryPolicy.never())
 * }</pre>
 *
 * <p>An {@link Error} of the codec is not an {@code UndecodableException}: the policy receives the
 * error itself, because it may be a fault of this process.
 */
public final class UndecodableException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a text that says what can't be decoded, and why as its cause. */
  public UndecodableException(String message, Throwable cause) {
    super(message, cause);
  }
}
