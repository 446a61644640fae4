package io.punctual;

/**
 * The payload of a message can't be decoded. The cause is the codec's exception; if the codec
 * returned null, or only the id of a finished message is left, the cause says so. The retry policy
 * receives this exception, so a rule can bury such messages at once:
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
