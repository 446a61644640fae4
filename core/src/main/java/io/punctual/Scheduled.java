package io.punctual;

import java.time.Instant;
import java.util.Optional;

/**
 * The confirmed answer to a schedule. Immutable.
 *
 * @param id the message's id: the caller's, or the one that was made
 * @param outcome what became of the schedule
 * @param dueAt when the message that now has the id is due, by the store's clock, in whole
 *     milliseconds: the new one's time if it was stored, otherwise that of the message that stays
 * @param previous the state of the message that had the id before, or empty if there was none
 */
public record Scheduled(
    String id, ScheduleOutcome outcome, Instant dueAt, Optional<State> previous) {
  /** Returns whether the message of this schedule is the one that is now stored. */
  public boolean isStored() {
    return outcome == ScheduleOutcome.STORED || outcome == ScheduleOutcome.REPLACED;
  }
}
