package io.punctual.http.text;

/** Thrown for input that can't be read; the message names the place and what to send instead. */
public class BadInputException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception. */
  public BadInputException(String message) {
    super(message);
  }

  /** Needs no stack trace, because the fault is the sender's. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
