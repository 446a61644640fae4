package io.punctual.spring.boot.autoconfigure;

import java.util.function.Supplier;

/** Thrown if a builder refuses a URL or a different setting from the properties. */
final class WrongSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private WrongSettingException(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }

  /** Runs a step that applies properties; throws this exception if a value is refused. */
  static <T> T check(Supplier<T> step) {
    try {
      return step.get();
    } catch (IllegalArgumentException e) {
      throw new WrongSettingException(e);
    }
  }
}
