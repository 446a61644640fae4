package io.punctual.benchmarks;

/**
 * Counts of a trial's messages. In a trial of locks, each acquisition counts as scheduled, and each
 * increment that the lock failed to protect counts as lost.
 *
 * @param scheduled how many messages the contender confirmed
 * @param lost how many confirmed messages were not delivered by the end of the trial
 * @param early how many messages were delivered before their due time
 * @param duplicates how many repeated deliveries there were
 */
public record MessageCounts(long scheduled, long lost, long early, long duplicates) {
  static final MessageCounts NONE = new MessageCounts(0, 0, 0, 0);

  MessageCounts plus(MessageCounts other) {
    return new MessageCounts(
        scheduled + other.scheduled,
        lost + other.lost,
        early + other.early,
        duplicates + other.duplicates);
  }
}
