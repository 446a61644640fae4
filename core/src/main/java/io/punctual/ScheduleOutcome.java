package io.punctual;

/** What became of a schedule. */
public enum ScheduleOutcome {
  /** No message had the id; this one is stored. */
  STORED,
  /** A message had the id; this one took its place. */
  REPLACED,
  /** A message had the id and stays; this one was not stored. */
  KEPT,
  /** A message had the id and stays, and {@link IfPresent#REJECT} was asked for. */
  REJECTED
}
