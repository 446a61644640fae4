package io.punctual.benchmarks;

/** The duration of the measurements. */
public enum Effort {
  /** About two minutes for a subject: checks that all trials work; the figures mean little. */
  QUICK,
  /** The duration for published figures. */
  FULL;

  /** Returns the value for this effort. */
  public <T> T choose(T quick, T full) {
    return this == QUICK ? quick : full;
  }
}
