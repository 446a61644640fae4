package io.punctual.spring.boot.autoconfigure;

/** Thrown if the client refuses a URL or a different setting. */
final class WrongSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  WrongSettingException(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }
}
