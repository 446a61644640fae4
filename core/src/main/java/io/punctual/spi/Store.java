package io.punctual.spi;

import io.punctual.DeleteQueueOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Where messages are kept: queues, each of one or more {@link Partition}s.
 *
 * <p>Implementations are safe for use by many threads.
 */
public interface Store extends AutoCloseable {
  /** Returns the store's URL for people to read, without secrets. */
  String describe();

  /** Returns what the store can do. */
  Set<Capability> capabilities();

  /**
   * Returns the partitions of a queue, one or more, by index. Their number never changes while the
   * queue has messages. The queue comes into being with its first message.
   */
  CompletionStage<List<Partition>> partitions(String queue);

  /**
   * As {@link #partitions(String)}, for a queue that may not exist yet.
   *
   * @param wanted how many partitions it gets then; a store in which that can't be chosen
   *     disregards it
   */
  default CompletionStage<List<Partition>> partitions(String queue, int wanted) {
    return partitions(queue);
  }

  /**
   * Lists the names of the queues, sorted. A queue that never had a message and was never paused
   * may be missing.
   */
  CompletionStage<List<String>> queues();

  /**
   * Removes a queue that holds no message in any state, and all that the store keeps about it: its
   * name, its pause, its number of partitions and its sessions. A call of such a session is
   * answered {@link Reply.NoSession}, and the queue exists again with the next message. {@link
   * Partition}s of the queue stay usable, and their fencing tokens go on increasing.
   *
   * <p>A message that arrives during the deletion is never removed: the outcome then is {@link
   * DeleteQueueOutcome#NOT_EMPTY}, or the message follows the deletion. A deletion that failed half
   * way leaves a queue that works, though perhaps in part no longer paused; deleting it again
   * finishes the deletion.
   */
  CompletionStage<DeleteQueueOutcome> delete(String queue);

  /**
   * Asks many partitions at once how long until each has something to claim: the safety check that
   * makes a lost hint cheap.
   *
   * @return one a partition, in microseconds, as {@link Reply.Claimed#untilNextMicros}
   */
  CompletionStage<long[]> untilNext(List<Partition> partitions);

  /** Returns how often the safety check is worth its cost; more than zero. */
  Duration safetyCheckInterval();

  /**
   * Closes the store and frees what it holds. Calls that come later fail with a {@link
   * Partition.NotSentException}. A second time does nothing.
   */
  @Override
  void close();
}
