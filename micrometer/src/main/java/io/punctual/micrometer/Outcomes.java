package io.punctual.micrometer;

import io.micrometer.common.KeyValue;
import org.jspecify.annotations.Nullable;

/** The outcomes of observations, as the tag {@code outcome} shows them. */
final class Outcomes {
  static final String OPEN = KeyValue.NONE_VALUE;

  private Outcomes() {}

  static String of(@Nullable Throwable failure) {
    return failure == null ? "success" : "failure";
  }
}
