package io.punctual;

/** The outcome of a schedule. */
public enum ScheduleOutcome {
  /** No message had the same id; the new message was stored. */
  STORED,
  /**
   * The new message replaced a message with the same id, or the remembered id of a finished
   * message.
   */
  REPLACED,
  /**
   * A message with the same id was kept, or the store remembers the id of a finished message; the
   * new message was not stored. For a remembered id, {@link Scheduled#previous} is {@link
   * State#FINISHED}.
   */
  KEPT,
  /**
   * The new message was not stored, because of {@link IfPresent#REJECT}: a message with the same id
   * was kept, or the store remembers the id of a finished message.
   */
  REJECTED
}
