package io.punctual.internal.queue;

import io.punctual.Page;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Lists queues by name, with their counts. Immutable, so safe for use by many threads. */
public record QueueListing(Store store, QueueQuery query) {
  public CompletionStage<Page<QueueInfo>> page() {
    int limit = query.limit();
    return store
        .queues(query.prefix(), query.after().orElse(""), limit + 1)
        .thenCompose(
            found -> {
              List<String> names = found.subList(0, Math.min(limit, found.size()));
              Optional<String> next =
                  found.size() > limit ? Optional.of(names.get(limit - 1)) : Optional.empty();
              return store.counts(names).thenApply(counts -> page(names, counts, next));
            });
  }

  private static Page<QueueInfo> page(
      List<String> names, List<QueueCounts> counts, Optional<String> next) {
    List<QueueInfo> queues = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      QueueCounts each = counts.get(i);
      queues.add(new QueueInfo(names.get(i), each.partitions(), CountedMessages.of(each.counts())));
    }
    return new Page<>(queues, next);
  }
}
