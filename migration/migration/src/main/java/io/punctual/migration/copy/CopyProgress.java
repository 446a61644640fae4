package io.punctual.migration.copy;

/**
 * The progress of a copy.
 *
 * @param queue the queue that is copied
 * @param step the current step
 * @param messages the number of messages of the queue that the step has handled
 * @param expected the number of messages that the step will handle, as counted at the start
 */
public record CopyProgress(String queue, Step step, long messages, long expected) {
  /** The steps of the copy of a queue. */
  public enum Step {
    /** Waits until workers have settled the leased messages of the source. */
    WAITING,
    /** Stores messages in the target. */
    COPYING,
    /** Reads both stores, and compares counts and checksums. */
    VERIFYING,
    /** Compares message by message. */
    COMPARING
  }
}
