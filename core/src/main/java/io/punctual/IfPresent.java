package io.punctual;

/**
 * What a schedule does when a message with the same id is already there.
 *
 * <p>A leased message that was cancelled meanwhile is on its way out: every mode but {@link
 * #REJECT} then acts as {@link #REPLACE}.
 */
public enum IfPresent {
  /** The message that is there stays as it is; the answer is {@link ScheduleOutcome#KEPT}. */
  KEEP,
  /** As {@link #KEEP}, but told apart as {@link ScheduleOutcome#REJECTED}. */
  REJECT,
  /**
   * The new message takes the place of the old, whatever the old one's state; attempts start at
   * zero. A lease on the old message ends at once, and its settlements are refused.
   */
  REPLACE,
  /**
   * The message with the earlier due time stays, payload and headers included; at equal times the
   * one that is there. A leased message stays; a dead letter is replaced.
   */
  EARLIEST
}
