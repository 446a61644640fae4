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
  /** Lists dead letters by the time of death; see {@link TimedQueue#browse(State, Optional, int)}. */
  Page<StoredMessage<T>> list(Optional<String> cursor, int limit);

  /** The asynchronous form of {@link #list(Optional, int)}. */
  CompletionStage<Page<StoredMessage<T>>> listAsync(Optional<String> cursor, int limit);

  /**
   * Lists the dead letters that match a filter, by the time of death. The limit of the filter has no
   * effect, because the page has a limit of its own. A page may have fewer messages than its limit,
   * and even none, although there are further pages.
   */
  Page<StoredMessage<T>> list(DeadLetterFilter filter, Optional<String> cursor, int limit);

  /** The asynchronous form of {@link #list(DeadLetterFilter, Optional, int)}. */
  CompletionStage<Page<StoredMessage<T>>> listAsync(
      DeadLetterFilter filter, Optional<String> cursor, int limit);

  /**
   * Counts the dead letters that match a filter by their failures. Reads all dead letters in bounded
   * steps, without their payloads: about a second for 300,000 dead letters on a Redis nearby. Dead
   * letters that change meanwhile may be missing, or may be counted.
   */
  DeadLetterGroups groups(DeadLetterFilter filter);

  /** The asynchronous form of {@link #groups}. */
  CompletionStage<DeadLetterGroups> groupsAsync(DeadLetterFilter filter);

  /** Makes a dead letter due now and clears its attempts. */
  DeadLetterOutcome redrive(String id);

  /** The asynchronous form of {@link #redrive}. */
  CompletionStage<DeadLetterOutcome> redriveAsync(String id);

  /**
   * Redrives all present dead letters, in bounded steps. If this method throws, some dead letters
   * may have been redriven.
   *
   * @return the number of redriven messages
   */
  long redriveAll();

  /** The asynchronous form of {@link #redriveAll}. */
  CompletionStage<Long> redriveAllAsync();

  /** Removes a dead letter. */
  DeadLetterOutcome delete(String id);

  /** The asynchronous form of {@link #delete}. */
  CompletionStage<DeadLetterOutcome> deleteAsync(String id);

  /**
   * Deletes all present dead letters, in bounded steps.
   *
   * @return the number of deleted messages
   */
  long deleteAll();

  /** The asynchronous form of {@link #deleteAll}. */
  CompletionStage<Long> deleteAllAsync();
}
