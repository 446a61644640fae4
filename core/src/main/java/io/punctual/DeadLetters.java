package io.punctual;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The dead letters of a queue: messages that failed too often, expired, are unreadable, or were
 * buried by their consumer. A dead letter stays until it is redriven or deleted. Safe for use by
 * many threads.
 *
 * @param <T> the payload's type
 */
public interface DeadLetters<T> {
  /** Lists dead letters by the time of death; see {@link TimedQueue#browse}. */
  Page<StoredMessage<T>> list(Optional<String> cursor, int limit);

  /** As {@link #list}, without waiting. */
  CompletionStage<Page<StoredMessage<T>>> listAsync(Optional<String> cursor, int limit);

  /** Makes a dead letter due now and clears its attempts. */
  DeadLetterOutcome redrive(String id);

  /** As {@link #redrive}, without waiting. */
  CompletionStage<DeadLetterOutcome> redriveAsync(String id);

  /**
   * Redrives all present dead letters, in bounded steps. When it throws, some may be redriven.
   *
   * @return the number of redriven messages
   */
  long redriveAll();

  /** As {@link #redriveAll}, without waiting. */
  CompletionStage<Long> redriveAllAsync();

  /** Removes a dead letter. */
  DeadLetterOutcome delete(String id);

  /** As {@link #delete}, without waiting. */
  CompletionStage<DeadLetterOutcome> deleteAsync(String id);

  /**
   * Deletes all present dead letters, in bounded steps.
   *
   * @return the number of deleted messages
   */
  long deleteAll();

  /** As {@link #deleteAll}, without waiting. */
  CompletionStage<Long> deleteAllAsync();
}
