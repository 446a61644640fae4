package io.punctual.spi;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import org.jspecify.annotations.Nullable;

/** The outcome of an {@link Operation}. */
public sealed interface Outcome {
  /**
   * The outcome of a schedule, a restore or a remembered id.
   *
   * @param outcome whether the message was stored
   * @param dueMillis the due time of the message that now has the id, in milliseconds from 1970;
   *     for a remembered id, the time at which the store forgets the id
   * @param previous the state of the message that had the id before, or null if there was none
   */
  record OfSchedule(ScheduleOutcome outcome, long dueMillis, @Nullable State previous)
      implements Outcome {}

  /** The outcome of a cancel. */
  record OfCancel(CancelOutcome outcome) implements Outcome {}

  /**
   * The outcome of a reschedule, of a request to run now, or of a change of a message that still
   * waits.
   */
  record OfReschedule(RescheduleOutcome outcome) implements Outcome {}

  /** The outcome of a redrive or a deletion of a dead letter. */
  record OfDeadLetter(DeadLetterOutcome outcome) implements Outcome {}

  /** The outcome of a settlement or an extension. */
  record OfSettlement(SettleOutcome outcome) implements Outcome {}

  /**
   * The outcome of an operation for whose content or id the store has no room; nothing was changed.
   * Possible for a schedule, a restore and a remembered id, and for a redrive or a repeat whose new
   * content is too large for the store.
   *
   * @param why the full resource and the remedy, for the user
   */
  record Full(String why) implements Outcome {}

  /**
   * The outcome of an operation on a message that the store can't read, for example because its
   * bytes are damaged. The operation changed nothing; the other operations of the call are not
   * affected.
   *
   * @param why the unreadable part and the remedy, for the user
   */
  record Failed(String why) implements Outcome {}

  /**
   * The outcome of an operation on a message that an open transaction of a caller has changed.
   * Nothing was changed; the other operations of the call are not affected. Only stores with {@link
   * Capability#TRANSACTIONS} answer it.
   *
   * @param why the message and the remedy, for the user
   */
  record Busy(String why) implements Outcome {}
}
