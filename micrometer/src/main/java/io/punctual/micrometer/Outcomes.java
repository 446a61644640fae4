package io.punctual.micrometer;

import io.micrometer.common.KeyValue;
import org.jspecify.annotations.Nullable;

/** The values of the tag {@code outcome} of observations and of their timers. */
final class Outcomes {
  static final String OPEN = KeyValue.NONE_VALUE;

  private Outcomes() {}

  static String of(@Nullable Throwable failure) {
    return failure == null ? "success" : "failure";
  }
}
