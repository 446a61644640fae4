package io.punctual;

import org.jspecify.annotations.Nullable;

/**
 * The root of what Punctual throws at run time, beside {@link IllegalArgumentException}. Types of
 * the store SPI are never thrown to users.
 */
public class PunctualException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates one that says what failed and what to do. */
  public PunctualException(String message) {
    super(message);
  }

  /** Creates one that says what failed and what to do, with its cause. */
  public PunctualException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
