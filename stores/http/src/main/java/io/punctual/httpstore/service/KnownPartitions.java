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
 * The partitions of the queues that clients use. Keeps those that were used last, because a store
 * may keep more about a partition than the partition itself, such as the listeners of clients.
 *
 * <p>Clients may assume different numbers of partitions of a queue that does not exist yet, so
 * there is a list for each number: none of them loses its listeners to the others. Thread-safe.
 */
final class KnownPartitions {
  private static final int MOST_LISTS = 10_000;

  private final Store store;

  private final Map<Key, List<Partition>> lists =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, List<Partition>> eldest) {
          return size() > MOST_LISTS;
        }
      };

  private record Key(String queue, int partitions) {}

  KnownPartitions(Store store) {
    this.store = store;
  }

  /** Asks the store for the partitions of a queue; {@code wanted} is 0 for its default. */
  CompletionStage<List<Partition>> look(String queue, int wanted) {
    CompletionStage<List<Partition>> asked =
        wanted == 0 ? store.partitions(queue) : store.partitions(queue, wanted);
    return asked.thenApply(
        found -> {
          synchronized (lists) {
            // The present partitions have listeners, so they stay.
            List<Partition> known = lists.putIfAbsent(new Key(queue, found.size()), found);
            return known == null ? found : known;
          }
        });
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
    List<Partition> known;
    synchronized (lists) {
      known = lists.get(new Key(place.queue(), place.partitions()));
    }
    return known != null
        ? CompletableFuture.completedStage(known.get(place.index()))
        : look(place.queue(), place.partitions()).thenApply(found -> right(found, place));
  }

  private static Partition right(List<Partition> found, Place place) {
    if (found.size() != place.partitions()) {
      throw new Partition.PartitionCountException(found.size(), null);
    }
    return found.get(place.index());
  }

  /** Forgets the partitions of a queue that has another number of them. */
  void forget(Place place) {
    synchronized (lists) {
      lists.remove(new Key(place.queue(), place.partitions()));
    }
  }
}
