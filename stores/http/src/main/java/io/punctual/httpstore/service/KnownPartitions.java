package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Place;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The partitions of the queues that clients use. Keeps those of the queues that were used last,
 * because a store may keep more about a partition than the partition itself. Thread-safe.
 */
final class KnownPartitions {
  private static final int MOST_QUEUES = 10_000;

  private final Store store;

  private final Map<String, CompletableFuture<List<Partition>>> queues =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<String, CompletableFuture<List<Partition>>> eldest) {
          return size() > MOST_QUEUES;
        }
      };

  KnownPartitions(Store store) {
    this.store = store;
  }

  /** Asks the store for the partitions of a queue; {@code wanted} is 0 for its default. */
  CompletionStage<List<Partition>> look(String queue, int wanted) {
    CompletionStage<List<Partition>> asked =
        wanted == 0 ? store.partitions(queue) : store.partitions(queue, wanted);
    return asked.thenApply(
        found -> {
          synchronized (queues) {
            CompletableFuture<List<Partition>> known = queues.get(queue);
            // The present partitions have listeners, so they stay if their number is right.
            if (known != null && isOf(known, found.size())) {
              return known.join();
            }
            queues.put(queue, CompletableFuture.completedFuture(found));
            return found;
          }
        });
  }

  private static boolean isOf(CompletableFuture<List<Partition>> known, int size) {
    return known.isDone() && !known.isCompletedExceptionally() && known.join().size() == size;
  }

  /**
   * Returns a partition.
   *
   * @throws Partition.PartitionCountException through the stage, if the queue has another number of
   *     partitions than the client assumes
   */
  CompletionStage<Partition> find(Place place) {
    if (place.index() < 0 || place.index() >= place.partitions()) {
      throw new IllegalArgumentException(
          "Queue '" + place.queue() + "' can't have the partition " + place.index());
    }
    CompletableFuture<List<Partition>> known;
    synchronized (queues) {
      known = queues.get(place.queue());
    }
    return known != null && isOf(known, place.partitions())
        ? CompletableFuture.completedStage(known.join().get(place.index()))
        : look(place.queue(), place.partitions()).thenApply(found -> right(found, place));
  }

  private static Partition right(List<Partition> found, Place place) {
    if (found.size() != place.partitions()) {
      throw new Partition.PartitionCountException(found.size(), null);
    }
    return found.get(place.index());
  }

  /** Forgets the partitions of a queue, whose number may have changed. */
  void forget(String queue) {
    synchronized (queues) {
      queues.remove(queue);
    }
  }
}
