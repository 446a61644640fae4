package io.punctual.spi;

import io.punctual.DeleteQueueOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
   * queue has messages. The first message, pause or limit creates the queue.
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
   * Lists the names of the queues that begin with a prefix, sorted, like {@link #queues()}.
   *
   * @param prefix the prefix, or empty for all names
   * @param after only names after this name are listed; empty for no such bound
   * @param limit the largest number of names, from 1
   */
  default CompletionStage<List<String>> queues(String prefix, String after, int limit) {
    return queues()
        .thenApply(
            names ->
                names.stream()
                    .filter(name -> name.startsWith(prefix) && name.compareTo(after) > 0)
                    .limit(limit)
                    .toList());
  }

  /**
   * Counts the messages of many queues. The default implementation asks the partitions of 50 queues
   * at a time. A queue that does not exist has counts of zero.
   *
   * @param queues the names of the queues, at most {@link Partition#MAX_PAGE}
   * @return the counts of each queue, in the same order
   */
  default CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return new ManyQueues(this).counts(queues);
  }

  /**
   * Finds the message with an id in each of many queues. The default implementation asks the
   * partitions of 256 queues at a time.
   *
   * @param queues the names of the queues, at most {@link Partition#MAX_PAGE}
   * @return the message of each queue that has one, in the same order
   */
  default CompletionStage<List<Optional<Entry>>> find(List<String> queues, String id) {
    return new ManyQueues(this).find(queues, id);
  }

  /**
   * Counts the waiting messages of many queues, as {@link Partition#forecast} does. The default
   * implementation asks the partitions of 50 queues at a time. A queue that does not exist has
   * counts of zero.
   *
   * @param queues the names of the queues, at most {@link Partition#MAX_PAGE}
   * @return the counts of each queue, in the same order
   */
  default CompletionStage<List<long[]>> forecast(
      List<String> queues, long fromMillis, long widthMillis, int buckets) {
    return new ManyQueues(this).forecast(queues, fromMillis, widthMillis, buckets);
  }

  /**
   * Removes a queue without messages in any state, and everything that the store keeps about it:
   * its name, its pause, its limits, its number of partitions and its sessions. Calls of the
   * removed sessions are answered {@link Reply.NoSession}. The next message, pause or limit creates
   * the queue again. Existing {@link Partition}s of the queue stay usable, and their fencing tokens
   * keep increasing.
   *
   * <p>A message that arrives during the deletion is never removed: either the outcome is {@link
   * DeleteQueueOutcome#NOT_EMPTY}, or the message creates the queue again. A deletion that fails
   * partway leaves a usable queue, some of whose partitions may no longer be paused; a second
   * deletion finishes the first.
   */
  CompletionStage<DeleteQueueOutcome> delete(String queue);

  /**
   * Asks many partitions, in one request, for the time at which each partition has a message to
   * claim. While a client waits for messages, it calls this method at each {@link
   * #safetyCheckInterval}, so that a lost hint delays a message by at most one interval.
   *
   * @return for each partition the time in microseconds, as in {@link
   *     Reply.Claimed#untilNextMicros}
   */
  CompletionStage<long[]> untilNext(List<Partition> partitions);

  /**
   * Keeps a text about a client, and replaces its earlier text. The store forgets the text after a
   * time. Idempotent. Only called if the store has the capability {@link Capability#WORKERS}.
   *
   * @param client the client's id: random, up to 32 characters, letters and digits
   * @param text up to {@link Announcement#MAX_BYTES}; an empty text removes the announcement
   * @param keep the time until the store forgets the text
   */
  default CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    return CompletableFuture.failedStage(lacksWorkers());
  }

  /** Lists the texts that the store has not forgotten, in any order. */
  default CompletionStage<List<Announcement>> announcements() {
    return CompletableFuture.failedStage(lacksWorkers());
  }

  /**
   * Returns the texts of some clients. Clients read a short text at each renewal of their own, so a
   * store that keeps texts by client returns these without reading the others. By default, reads
   * all.
   *
   * @param clients up to {@link Partition#MAX_PAGE} different clients
   * @return the texts that the store has not forgotten, in any order
   */
  default CompletionStage<List<Announcement>> announcements(List<String> clients) {
    return announcements()
        .thenApply(all -> all.stream().filter(each -> clients.contains(each.client())).toList());
  }

  private UnsupportedOperationException lacksWorkers() {
    return new UnsupportedOperationException(
        describe() + " does not support " + Capability.WORKERS);
  }

  /**
   * Sends a request that changes nothing, by default the list of the queues. Completes when the
   * store has answered; fails if the store can't be reached.
   */
  default CompletionStage<@Nullable Void> ping() {
    return queues().thenAccept(names -> {});
  }

  /**
   * Returns the time until the next safety check, which balances its cost with the delay after a
   * lost hint; positive. Clients ask before each check, so a store with many clients can ask for
   * fewer checks.
   *
   * @param partitions the number of partitions that the client asks, at least 1
   */
  Duration safetyCheckInterval(int partitions);

  /**
   * Closes the store and frees its resources. Later calls fail with a {@link
   * Partition.NotSentException}. Idempotent.
   */
  @Override
  void close();
}
