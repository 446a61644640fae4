package io.punctual.benchmarks;

/**
 * A measured value of a trial.
 *
 * @param metric the measured quantity; unique within a trial
 * @param unit for example {@code ns}, {@code bytes} or {@code messages/s}
 * @param higherIsBetter whether more is better
 */
public record Sample(String metric, String unit, boolean higherIsBetter, double value) {
  /** A rate: more is better. */
  public static Sample rate(String metric, String unit, double value) {
    return new Sample(metric, unit, true, value);
  }

  /** A cost: less is better. */
  public static Sample cost(String metric, String unit, double value) {
    return new Sample(metric, unit, false, value);
  }
}
