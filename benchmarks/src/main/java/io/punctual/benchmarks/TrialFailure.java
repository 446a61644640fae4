package io.punctual.benchmarks;

import java.util.Locale;

/** A trial that ended with an exception. */
public record TrialFailure(Trial trial, Exception cause) {
  /** A readable description. */
  public String text() {
    return String.format(Locale.ROOT, "%s, %s: %s", trial.title(), trial.contender(), cause);
  }
}
