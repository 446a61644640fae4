package io.punctual.internal.queue;

import io.punctual.Codec;
import io.punctual.Forecast;
import io.punctual.StoredMessage;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Look-ups in many queues of a store, which keep no state of these queues in the client. Immutable,
 * so safe for use by many threads.
 */
public record ManyQueuesLookUp(Store store, ClientParts client) {
  /** The number of queues in a request, each of which can return a payload. */
  private static final int FOUND_AT_ONCE = 256;

  /** Finds the messages with an id; by the names of the queues, in their order. */
  public Awaited<Map<String, StoredMessage<byte[]>>> find(String id, Collection<String> queues) {
    client.requireOpen();
    client.require(Capability.BROWSE);
    Checks.id(id);
    List<String> names = List.copyOf(new LinkedHashSet<>(queues));
    names.forEach(Checks::queueName);
    return client.question(
        "The find of '" + id + "' in " + names.size() + " queues",
        () ->
            inParts(names, FOUND_AT_ONCE, part -> store.find(part, id))
                .thenCompose(found -> stored(names, found)));
  }

  private CompletionStage<Map<String, StoredMessage<byte[]>>> stored(
      List<String> names, List<Optional<Entry>> found) {
    boolean needsHolders =
        found.stream().flatMap(Optional::stream).anyMatch(entry -> entry.holder() != null);
    return needsHolders
        ? StoreCall.stage(client.workerListing()::leaseHolders)
            .thenApply(holders -> stored(names, found, holders))
        : CompletableFuture.completedStage(stored(names, found, null));
  }

  private static Map<String, StoredMessage<byte[]>> stored(
      List<String> names, List<Optional<Entry>> found, @Nullable LeaseHolders holders) {
    Map<String, StoredMessage<byte[]>> stored = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      String queue = names.get(i);
      found
          .get(i)
          .ifPresent(
              entry ->
                  stored.put(
                      queue,
                      new StoredEntry<>(
                          entry,
                          Codec.bytes(),
                          queue,
                          true,
                          holders == null ? null : holders.of(entry, queue))));
    }
    return stored;
  }

  /** Returns a forecast for each queue, in the same order. */
  public Awaited<List<Forecast>> forecast(
      Collection<String> queues, Instant from, Instant to, int buckets) {
    client.requireOpen();
    client.require(Capability.FORECAST);
    ForecastSpans spans = ForecastSpans.of(from, to, buckets);
    List<String> names = List.copyOf(queues);
    names.forEach(Checks::queueName);
    return client.question(
        "The forecast of " + names.size() + " queues",
        () ->
            inParts(
                    names,
                    Partition.MAX_PAGE,
                    part -> store.forecast(part, spans.fromMillis(), spans.widthMillis(), buckets))
                .thenApply(all -> all.stream().map(counts -> spans.of(List.of(counts))).toList()));
  }

  private static <R> CompletionStage<List<R>> inParts(
      List<String> names, int size, Function<List<String>, CompletionStage<List<R>>> request) {
    List<R> answers = new ArrayList<>(names.size());
    return AsyncLoop.run(
            () -> {
              int from = answers.size();
              int to = Math.min(names.size(), from + size);
              return from == to
                  ? CompletableFuture.completedStage(false)
                  : request
                      .apply(names.subList(from, to))
                      .thenApply(
                          some -> {
                            answers.addAll(some);
                            return true;
                          });
            })
        .thenApply(end -> answers);
  }
}
