package io.punctual;

import java.time.Instant;
import java.util.Optional;

/**
 * The confirmed result of a schedule. Immutable.
 *
 * @param id the message's id, given by the caller or generated
 * @param outcome the outcome of the schedule
 * @param dueAt the due time of the message that now has the id, by the store's clock, in whole
 *     milliseconds: the new message if it was stored, otherwise the existing message. If the store
 *     has only the remembered id ({@link State#FINISHED}), the time at which it forgets the id
 * @param previous the state of the message that had the id before, {@link State#FINISHED} for a
 *     remembered id, or empty if the id was not in use
 */
public record Scheduled(
    String id, ScheduleOutcome outcome, Instant dueAt, Optional<State> previous) {
  /** Returns whether the store now has the message of this schedule. */
  public boolean isStored() {
    return outcome == ScheduleOutcome.STORED || outcome == ScheduleOutcome.REPLACED;
  }
}
