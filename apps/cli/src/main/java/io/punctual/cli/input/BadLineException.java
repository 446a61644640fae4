package io.punctual.cli.input;

/** A line of the input is not what it should be; the message says what is wrong with it. */
final class BadLineException extends Exception {
  private static final long serialVersionUID = 1L;

  BadLineException(String message) {
    super(message);
  }
}
