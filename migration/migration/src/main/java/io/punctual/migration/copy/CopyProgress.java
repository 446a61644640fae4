package io.punctual.migration.copy;

/**
 * The progress of a copy.
 *
 * @param queue the queue that is copied
 * @param step the current step
 * @param messages the number of messages and remembered ids that the step has handled; in {@link
 *     Step#VERIFYING}, of both stores together; in {@link Step#COMPARING}, the number of compared
 *     pages
 * @param expected an estimate of {@code messages} at the end of the step; in {@link Step#WAITING},
 *     the number of messages that are still leased; in {@link Step#COMPARING}, 0
 */
public record CopyProgress(String queue, Step step, long messages, long expected) {
  /** The steps of the copy of a queue. */
  public enum Step {
    /** Waits until no message of the source is leased. */
    WAITING,
    /** Stores messages in the target. */
    COPYING,
    /** Reads both stores, and compares counts and checksums. */
    VERIFYING,
    /** Compares message by message. */
    COMPARING
  }
}
