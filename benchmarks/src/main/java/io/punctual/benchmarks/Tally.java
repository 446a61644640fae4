package io.punctual.benchmarks;

/**
 * Counts of a trial's messages.
 *
 * @param scheduled how many messages the contender confirmed
 * @param lost how many confirmed messages were not delivered by the end of the trial
 * @param early how many messages were delivered before their due time
 * @param duplicates how many repeated deliveries there were
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
