package io.punctual.httpstore.service;

import io.punctual.embedded.UsedByName;
import io.punctual.httpstore.wire.Place;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The partitions of the queues that clients use. Keeps those that were used last, and those with
 * listeners, because a store may keep more about a partition than the partition itself.
 *
 * <p>Clients may assume different numbers of partitions of a queue that does not exist yet, so
 * there is a list for each number: none of them loses its listeners to the others, until a call
 * shows which number is right. Thread-safe.
 */
final class KnownPartitions {
  private static final int MOST_QUEUES = 10_000;

  /** Less than the longest time between two requests of a client that listens. */
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(2);

  private static final Duration LONGEST_SHARED_LOOK = Duration.ofSeconds(10);

  private final Store store;
  private final DueTimer timer;

  /** The lists of partitions of each queue, by their number. */
  private final Map<String, Map<Integer, List<Partition>>> lists =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<String, Map<Integer, List<Partition>>> eldest) {
          return size() > MOST_QUEUES;
        }
      };

  /** All partitions that something uses, so that those with a listener are found again. */
  private final UsedByName<Partition> used = new UsedByName<>();

  /** The look-ups under way. */
  private final Map<Key, CompletableFuture<List<Partition>>> looks = new HashMap<>();

  private record Key(String queue, int partitions) {}

  /**
   * Partitions of some places.
   *
   * @param partitions the partitions that were found
   * @param stale the places that their queues lack
   */
  record Found(Map<Place, Partition> partitions, Set<Place> stale) {}

  KnownPartitions(Store store, DueTimer timer) {
    this.store = store;
    this.timer = timer;
  }

  /** Asks the store for the partitions of a queue; {@code wanted} is 0 for its default. */
  CompletionStage<List<Partition>> look(String queue, int wanted) {
    CompletionStage<List<Partition>> asked =
        wanted == 0 ? store.partitions(queue) : store.partitions(queue, wanted);
    return asked.thenApply(
        found -> {
          List<Partition> present = inUse(queue, found);
          synchronized (lists) {
            lists.computeIfAbsent(queue, name -> new HashMap<>()).put(present.size(), present);
          }
          return present;
        });
  }

  /** Returns the partitions in use instead of those found, because they may have listeners. */
  private List<Partition> inUse(String queue, List<Partition> found) {
    List<Partition> present = new ArrayList<>(found.size());
    for (Partition each : found) {
      String name = present.size() + "/" + found.size() + "/" + queue;
      present.add(used.get(name, unused -> each));
    }
    return present;
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
      known = lists.getOrDefault(place.queue(), Map.of()).get(place.partitions());
    }
    return known != null
        ? CompletableFuture.completedStage(known.get(place.index()))
        : lookOnce(place).thenApply(found -> right(found, place));
  }

  /** Joins a look-up under way: clients ask for all partitions of a queue, and ask again soon. */
  private CompletableFuture<List<Partition>> lookOnce(Place place) {
    Key key = new Key(place.queue(), place.partitions());
    CompletableFuture<List<Partition>> mine = new CompletableFuture<>();
    synchronized (lists) {
      CompletableFuture<List<Partition>> underWay = looks.putIfAbsent(key, mine);
      if (underWay != null) {
        return underWay;
      }
    }
    CompletionStage<?> unused =
        StoreCall.stage(() -> lookWithEnd(key, mine))
            .whenComplete(
                (found, failure) -> {
                  lookEnded(key, mine);
                  if (failure == null) {
                    mine.complete(found);
                  } else {
                    mine.completeExceptionally(failure);
                  }
                });
    return mine;
  }

  /** If a look-up never ends, a later request begins another one. */
  private CompletionStage<List<Partition>> lookWithEnd(
      Key key, CompletableFuture<List<Partition>> mine) {
    Timeout over = timer.schedule(LONGEST_SHARED_LOOK, () -> lookEnded(key, mine));
    return StoreCall.stage(() -> look(key.queue(), key.partitions()))
        .whenComplete((found, failure) -> over.cancel());
  }

  private void lookEnded(Key key, CompletableFuture<List<Partition>> look) {
    synchronized (lists) {
      looks.remove(key, look);
    }
  }

  private static Partition right(List<Partition> found, Place place) {
    if (found.size() != place.partitions()) {
      throw new Partition.PartitionCountException(found.size(), null);
    }
    return found.get(place.index());
  }

  /**
   * Finds the partitions of these places, as far as the store finds them soon: a partition that is
   * out of reach must not keep a client from the others. Fails if none is in reach.
   */
  CompletionStage<Found> findAll(List<Place> places) {
    Map<Place, CompletableFuture<Partition>> asked = new LinkedHashMap<>();
    places.forEach(
        place -> asked.put(place, StoreCall.stage(() -> find(place)).toCompletableFuture()));
    CompletableFuture<?> all =
        CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new));
    if (!all.isDone()) {
      Timeout over = timer.schedule(LONGEST_LOOK, () -> giveUp(asked.values()));
      CompletableFuture<?> unused = all.whenComplete((done, failure) -> over.cancel());
    }
    return all.handle((done, failure) -> found(asked));
  }

  private void giveUp(Collection<CompletableFuture<Partition>> asked) {
    Partition.NotSentException silence =
        new Partition.NotSentException(
            store.describe()
                + " did not find a partition within "
                + LONGEST_LOOK.toSeconds()
                + " s",
            null);
    asked.forEach(each -> each.completeExceptionally(silence));
  }

  private static Found found(Map<Place, CompletableFuture<Partition>> asked) {
    Map<Place, Partition> found = new LinkedHashMap<>();
    Set<Place> stale = new HashSet<>();
    CompletionException last = null;
    for (Map.Entry<Place, CompletableFuture<Partition>> each : asked.entrySet()) {
      try {
        found.put(each.getKey(), each.getValue().join());
      } catch (CompletionException e) {
        if (StoreFailures.unwrap(e) instanceof Partition.PartitionCountException) {
          stale.add(each.getKey());
        } else {
          last = e;
        }
      }
    }
    if (last != null && found.isEmpty() && stale.isEmpty()) {
      throw last;
    }
    return new Found(found, stale);
  }

  /**
   * Notes a call that a partition has answered: the queue has so many partitions. Clients that
   * listen on partitions of another number learn it with their next request.
   */
  void answered(Place place) {
    synchronized (lists) {
      Map<Integer, List<Partition>> known = lists.get(place.queue());
      if (known != null && known.size() > 1 && known.containsKey(place.partitions())) {
        known.keySet().retainAll(Set.of(place.partitions()));
      }
    }
  }

  /** Forgets the partitions of a queue that has another number of them. */
  void forget(Place place) {
    synchronized (lists) {
      Map<Integer, List<Partition>> known = lists.get(place.queue());
      if (known != null) {
        known.remove(place.partitions());
      }
    }
  }
}
