package io.punctual.benchmarks;

/** How much time to spend. */
public enum Effort {
  /** About two minutes for a subject: shows that everything works, not how fast. */
  QUICK,
  /** What figures are published from. */
  FULL;

  /** One of two values. */
  public <T> T choose(T quick, T full) {
    return this == QUICK ? quick : full;
  }
}
