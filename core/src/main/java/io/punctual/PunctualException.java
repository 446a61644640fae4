package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of the exceptions that Punctual throws for failures. Wrong uses throw exceptions
 * of the JDK instead, such as {@link IllegalArgumentException}. Users receive no exception of the
 * store SPI.
 */
public class PunctualException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the failure and the remedy. */
  public PunctualException(String message) {
    super(message);
  }

  /** Creates an exception that has a cause; its own message names the failure and the remedy. */
  public PunctualException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
