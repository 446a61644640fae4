package io.punctual;

import java.util.Optional;

/**
 * The messages of a queue that were given up: too many failures, expired, unreadable, or buried by
 * hand. They stay until they are redriven or deleted. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface DeadLetters<T> {
  /** Lists dead letters by the time of death; see {@link TimedQueue#browse}. */
  Page<StoredMessage<T>> list(Optional<String> cursor, int limit);

  /** Makes a dead letter due now, as if it had never been tried. */
  DeadLetterOutcome redrive(String id);

  /**
   * Redrives the dead letters that are there now, in bounded steps.
   *
   * @return how many were redriven
   */
  long redriveAll();

  /** Removes a dead letter. */
  DeadLetterOutcome delete(String id);

  /**
   * Removes the dead letters that are there now, in bounded steps.
   *
   * @return how many were removed
   */
  long deleteAll();
}
