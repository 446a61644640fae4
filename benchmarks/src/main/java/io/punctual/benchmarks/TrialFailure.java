package io.punctual.benchmarks;

/** A trial that ended with an exception. */
public record TrialFailure(Trial trial, Exception cause) {
  /** A readable description. */
  public String text() {
    return "%s, %s: %s".formatted(trial.title(), trial.contender(), cause);
  }
}
