package io.punctual.internal.client;

import io.punctual.DeleteQueueOutcome;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A store that a {@link StoreOpening} opens in the background. Until the store is open, each queue
 * has one {@link LatePartition}, and requests that need the store fail with {@code
 * NotSentException}. Once the store is open, a late partition answers that the number of partitions
 * is stale, so the client asks for the queue's partitions, and moves its operations and workers to
 * them. Thread-safe.
 */
final class LateStore implements Store {
  private static final Logger log = Logs.of("io.punctual.store");

  private final StoreOpening opening;

  /**
   * The number of partitions that the caller wanted, by queue, for look-ups before the store was
   * open.
   */
  private final Map<String, OptionalInt> wanted = new ConcurrentHashMap<>();

  private volatile boolean closed;

  LateStore(StoreOpening opening) {
    this.opening = opening;
  }

  /** Reports the failures to open the store, and the end of the opening, to {@code health}. */
  void reportTo(StoreHealth health) {
    if (opening.lastFailure() == null) {
      health.unopened(this, new StoreUnavailableException(opening.why(), null));
    }
    opening.onFailure(failure -> health.unopened(this, failure));
    CompletionStage<?> unused =
        opening.opened().whenComplete((store, failure) -> ended(health, failure));
  }

  private void ended(StoreHealth health, @Nullable Throwable failure) {
    if (failure == null) {
      health.opened();
    } else if (!closed) {
      log.error(
          "{} can't be opened, and the client stops trying; close the client and open a new client",
          describe(),
          failure);
      health.unopened(this, failure);
    }
  }

  @Override
  public String describe() {
    Store store = opening.store();
    return store == null ? opening.description() : store.describe();
  }

  /**
   * Returns all capabilities until the store is open; the open store refuses unsupported requests.
   */
  @Override
  public Set<Capability> capabilities() {
    Store store = opening.store();
    return store == null ? EnumSet.allOf(Capability.class) : store.capabilities();
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return partitions(queue, OptionalInt.empty());
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue, int number) {
    return partitions(queue, OptionalInt.of(number));
  }

  private CompletionStage<List<Partition>> partitions(String queue, OptionalInt number) {
    Store store = opening.store();
    if (store == null) {
      wanted.put(queue, number);
      return CompletableFuture.completedStage(List.of(new LatePartition(queue, opening)));
    }
    // For a queue that was looked up before the store was open, the client passes 1, the number of
    // late partitions. If the queue is new, it must get the number that the caller wanted then.
    OptionalInt asked = wanted.getOrDefault(queue, number);
    return (asked.isPresent() ? store.partitions(queue, asked.getAsInt()) : store.partitions(queue))
        .thenApply(
            partitions -> {
              wanted.remove(queue);
              return partitions;
            });
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return whenOpen(Store::queues);
  }

  @Override
  public CompletionStage<List<String>> queues(String prefix, String after, int limit) {
    return whenOpen(store -> store.queues(prefix, after, limit));
  }

  @Override
  public CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return whenOpen(store -> store.counts(queues));
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> find(List<String> queues, String id) {
    return whenOpen(store -> store.find(queues, id));
  }

  @Override
  public CompletionStage<List<long[]>> forecast(
      List<String> queues, long fromMillis, long widthMillis, int buckets) {
    return whenOpen(store -> store.forecast(queues, fromMillis, widthMillis, buckets));
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return whenOpen(store -> store.delete(queue));
  }

  @Override
  public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    return whenOpen(store -> store.announce(client, text, keep));
  }

  @Override
  public CompletionStage<List<Announcement>> announcements() {
    return whenOpen(Store::announcements);
  }

  @Override
  public CompletionStage<List<Announcement>> announcements(List<String> clients) {
    return whenOpen(store -> store.announcements(clients));
  }

  @Override
  public CompletionStage<@Nullable Void> ping() {
    return whenOpen(Store::ping);
  }

  private <R extends @Nullable Object> CompletionStage<R> whenOpen(
      Function<Store, CompletionStage<R>> request) {
    Store store = opening.store();
    return store == null ? notOpen(opening) : request.apply(store);
  }

  static <R extends @Nullable Object> CompletionStage<R> notOpen(StoreOpening opening) {
    return CompletableFuture.failedStage(new Partition.NotSentException(opening.why(), null));
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    List<Partition> open = new ArrayList<>(partitions);
    open.removeIf(LatePartition.class::isInstance);
    Store store = opening.store();
    return store == null || open.isEmpty()
        ? CompletableFuture.completedStage(spread(partitions, new long[0]))
        : store.untilNext(open).thenApply(untils -> spread(partitions, untils));
  }

  /**
   * Inserts the late partitions, which have nothing to claim, into the answer for the open
   * partitions.
   */
  private static long[] spread(List<Partition> partitions, long[] ofOpen) {
    long[] all = new long[partitions.size()];
    int next = 0;
    for (int i = 0; i < all.length; i++) {
      all[i] = partitions.get(i) instanceof LatePartition ? Reply.NONE : ofOpen[next++];
    }
    return all;
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    Store store = opening.store();
    return store == null ? Duration.ofSeconds(1) : store.safetyCheckInterval(partitions);
  }

  @Override
  public void close() {
    closed = true;
    opening.close();
    Store store = opening.store();
    if (store != null) {
      store.close();
    }
  }
}
