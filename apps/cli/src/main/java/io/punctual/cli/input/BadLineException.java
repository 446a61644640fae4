package io.punctual.cli.input;

/** A line of the input is invalid; the message says why. */
final class BadLineException extends Exception {
  private static final long serialVersionUID = 1L;

  BadLineException(String message) {
    super(message);
  }
}
