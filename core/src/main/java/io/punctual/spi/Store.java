package io.punctual.spi;

import io.punctual.DeleteQueueOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store of queues; each queue has one or more {@link Partition}s.
 *
 * <p>Implementations are safe for use by many threads.
 */
public interface Store extends AutoCloseable {
  /** Returns the store's URL without secrets, for logs and messages. */
  String describe();

  /** Returns the optional features of this store. */
  Set<Capability> capabilities();

  /**
   * Returns the partitions of a queue by index, at least one. Their number never changes while the
   * queue has messages. The first message or pause creates the queue.
   */
  CompletionStage<List<Partition>> partitions(String queue);

  /**
   * Returns the partitions like {@link #partitions(String)}, for a queue that may not exist yet.
   *
   * @param wanted the number of partitions of a new queue; a store with a fixed number ignores it
   */
  default CompletionStage<List<Partition>> partitions(String queue, int wanted) {
    return partitions(queue);
  }

  /**
   * Lists the names of the queues, sorted. Queues that never held a message and were never paused
   * may be absent.
   */
  CompletionStage<List<String>> queues();

  /**
   * Removes a queue without messages in any state, and everything that the store keeps about it:
   * its name, its pause, its limits, its number of partitions and its sessions. Calls of the
   * removed sessions are answered {@link Reply.NoSession}. The next message or pause creates the
   * queue again. Existing {@link Partition}s of the queue stay usable, and their fencing tokens
   * keep increasing.
   *
   * <p>A message that arrives during the deletion is never removed: either the outcome is {@link
   * DeleteQueueOutcome#NOT_EMPTY}, or the message creates the queue again. A deletion that fails
   * half way leaves a usable queue, some of whose partitions may no longer be paused; a second
   * deletion finishes the first.
   */
  CompletionStage<DeleteQueueOutcome> delete(String queue);

  /**
   * Asks many partitions, in one request, for the time at which each partition has a message to
   * claim. Clients call this regularly as a safety check, so that a lost hint delays a message by
   * at most one interval.
   *
   * @return for each partition the time in microseconds, as in {@link
   *     Reply.Claimed#untilNextMicros}
   */
  CompletionStage<long[]> untilNext(List<Partition> partitions);

  /**
   * Completes when the store has answered a request that changes nothing; fails if the store can't
   * be reached. By default lists the queues.
   */
  default CompletionStage<@Nullable Void> ping() {
    return queues().thenAccept(names -> {});
  }

  /**
   * Returns the interval between two safety checks, which balances their cost with the delay after
   * a lost hint; positive.
   */
  Duration safetyCheckInterval();

  /**
   * Closes the store and frees its resources. Later calls fail with a {@link
   * Partition.NotSentException}. Idempotent.
   */
  @Override
  void close();
}
