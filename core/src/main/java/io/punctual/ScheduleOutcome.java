package io.punctual;

/** The outcome of a schedule. */
public enum ScheduleOutcome {
  /** No message had the id; the new message is stored. */
  STORED,
  /** A message had the id; the new message replaced it. */
  REPLACED,
  /** A message had the id and is kept; the new message was not stored. */
  KEPT,
  /** A message had the id and is kept, because of {@link IfPresent#REJECT}. */
  REJECTED
}
