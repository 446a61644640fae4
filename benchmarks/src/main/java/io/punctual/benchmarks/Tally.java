package io.punctual.benchmarks;

/**
 * What became of the messages of a trial.
 *
 * @param scheduled how many the contender confirmed
 * @param lost how many of them had not been handed over when the trial ended
 * @param early how many were handed over before their time
 * @param duplicates how many times a message was handed over again
 */
public record Tally(long scheduled, long lost, long early, long duplicates) {
  static final Tally NONE = new Tally(0, 0, 0, 0);

  Tally plus(Tally other) {
    return new Tally(
        scheduled + other.scheduled,
        lost + other.lost,
        early + other.early,
        duplicates + other.duplicates);
  }
}
