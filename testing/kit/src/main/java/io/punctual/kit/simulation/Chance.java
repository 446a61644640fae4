package io.punctual.kit.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/** Random choices. Not thread-safe. */
record Chance(RandomGenerator random) {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;

  boolean of(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** Returns a number from {@code from} to {@code to}, both included. */
  int between(int from, int to) {
    return random.nextInt(from, to + 1);
  }

  long between(long from, long to) {
    return random.nextLong(from, to + 1);
  }

  /**
   * Returns a time with an exponential distribution and this mean: most times are shorter, and a
   * few are several times as long.
   */
  long around(long nanos) {
    return (long) (-Math.log(1 - random.nextDouble()) * nanos);
  }

  <E> E of(List<E> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
