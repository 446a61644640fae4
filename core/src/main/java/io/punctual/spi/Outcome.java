package io.punctual.spi;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import org.jspecify.annotations.Nullable;

/** The outcome of an {@link Operation}. */
public sealed interface Outcome {
  /**
   * Of a schedule.
   *
   * @param outcome what became of it
   * @param dueMillis when the message that now has the id is due, in milliseconds from 1970
   * @param previous the state of the message that had the id before, or null
   */
  record OfSchedule(ScheduleOutcome outcome, long dueMillis, @Nullable State previous)
      implements Outcome {}

  /** Of a cancel. */
  record OfCancel(CancelOutcome outcome) implements Outcome {}

  /** Of a reschedule, or of a request to run now. */
  record OfReschedule(RescheduleOutcome outcome) implements Outcome {}

  /** Of a redrive or a deletion of a dead letter. */
  record OfDeadLetter(DeadLetterOutcome outcome) implements Outcome {}

  /** Of a settlement. */
  record OfSettlement(SettleOutcome outcome) implements Outcome {}

  /**
   * Of a schedule that the store has no room for; nothing was changed.
   *
   * @param why what is full and what to do, for the user
   */
  record Full(String why) implements Outcome {}

  /**
   * Of any operation about a message that the store can't read, for example because its bytes are
   * damaged. Nothing was changed; the other operations of the call are not concerned.
   *
   * @param why what can't be read and what to do, for the user
   */
  record Failed(String why) implements Outcome {}
}
