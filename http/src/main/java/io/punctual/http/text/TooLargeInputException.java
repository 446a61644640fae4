package io.punctual.http.text;

/** Thrown for input that is refused only because it is too large. */
public final class TooLargeInputException extends BadInputException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception. */
  public TooLargeInputException(String message) {
    super(message);
  }
}
