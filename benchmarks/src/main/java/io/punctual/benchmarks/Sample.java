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

  /** Returns a line that {@link #parse} understands, to pass the sample between processes. */
  public String line() {
    return String.join("\t", metric, unit, "" + higherIsBetter, "" + value);
  }

  /** Returns the sample of a {@link #line}. */
  public static Sample parse(String line) {
    String[] parts = line.split("\t", 4);
    return new Sample(
        parts[0], parts[1], Boolean.parseBoolean(parts[2]), Double.parseDouble(parts[3]));
  }

  /** A cost: less is better. */
  public static Sample cost(String metric, String unit, double value) {
    return new Sample(metric, unit, false, value);
  }
}
