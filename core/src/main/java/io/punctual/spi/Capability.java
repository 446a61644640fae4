package io.punctual.spi;

/**
 * The optional features of a store. A request for a missing feature fails with an exception that
 * names the feature.
 */
public enum Capability {
  /** Cancels by id. */
  CANCEL,
  /** Reschedules and runs now, by id. */
  RESCHEDULE,
  /** Finds by id, and browses by state. */
  BROWSE,
  /** Counts the messages that become due in each span of time. */
  FORECAST,
  /** Pauses and resumes. */
  PAUSE,
  /** Purges. */
  PURGE,
  /** Lists, redrives and deletes dead letters. */
  DEAD_LETTERS,
  /** Accepts a durability with each call. */
  DURABILITY,
  /** Executes operations inside a transaction of the caller. */
  TRANSACTIONS
}
