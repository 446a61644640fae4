package io.punctual.spi;

/**
 * The optional features of a store. A request for a missing feature, except {@link #WORKERS}, fails
 * with an exception that names the feature.
 */
public enum Capability {
  /** Cancels messages by id. */
  CANCEL,
  /** Reschedules messages and runs them now, by id. */
  RESCHEDULE,
  /** Finds messages by id, and lists them by state. */
  BROWSE,
  /** Counts the messages that become due in each span of time. */
  FORECAST,
  /** Pauses and resumes queues. */
  PAUSE,
  /** Removes all messages in certain states. */
  PURGE,
  /** Lists, redrives and deletes dead letters. */
  DEAD_LETTERS,
  /** Accepts a durability with each call. */
  DURABILITY,
  /** Executes operations inside a transaction of the caller. */
  TRANSACTIONS,
  /** Remembers the ids of finished messages. */
  REMEMBER,
  /** Limits the rate and the concurrency of claims. */
  LIMITS,
  /**
   * Keeps the announcements of clients, so that every process can list all workers. Without this
   * feature, a client lists only its own workers.
   */
  WORKERS
}
