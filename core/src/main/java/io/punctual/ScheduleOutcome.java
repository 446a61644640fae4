package io.punctual;

/** The outcome of a schedule. */
public enum ScheduleOutcome {
  /** No message had the same id; the new message was stored. */
  STORED,
  /** The new message replaced a message with the same id. */
  REPLACED,
  /** A message with the same id was kept; the new message was not stored. */
  KEPT,
  /**
   * A message with the same id was kept, because of {@link IfPresent#REJECT}; the new message was
   * not stored.
   */
  REJECTED
}
