package io.punctual;

/**
 * The action of a schedule if the queue already has a message with the same id.
 *
 * <p>An id that the store remembers ({@link State#FINISHED}) counts as an existing message: {@link
 * #REPLACE} stores the message, and the other modes do not.
 *
 * <p>For a message that was cancelled while it was leased, all modes except {@link #REJECT} act as
 * {@link #REPLACE}.
 */
public enum IfPresent {
  /**
   * Keeps an existing message that is scheduled, ready or leased; the outcome is {@link
   * ScheduleOutcome#KEPT}. Replaces a dead letter, so that the dead letter does not block its id
   * forever.
   */
  KEEP,
  /**
   * Keeps the existing message, even if it is a dead letter; the outcome is {@link
   * ScheduleOutcome#REJECTED}.
   */
  REJECT,
  /**
   * Replaces the existing message in any state; attempts restart at zero. A lease of the old
   * message ends at once, and the store refuses its settlements. If a recurring message without a
   * due time replaces a waiting message with the same recurrence, it keeps the earlier due time, so
   * that no missed occurrence is lost; if the message is also the same otherwise, it is kept.
   */
  REPLACE,
  /**
   * Keeps the message with the earlier due time, with its payload and headers. At equal due times,
   * keeps the existing message. A leased message is kept, and a dead letter is replaced.
   */
  EARLIEST
}
