package io.punctual.spring.boot.autoconfigure;

import java.util.function.Supplier;

/** Thrown if a builder refuses the value of a setting, for example a URL. */
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
