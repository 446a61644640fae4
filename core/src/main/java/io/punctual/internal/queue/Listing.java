package io.punctual.internal.queue;

import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads pages of the messages of a queue: partition by partition, or with the newest message of all
 * partitions first. Stateless.
 */
public final class Listing {
  /**
   * A page.
   *
   * @param next the cursor of the next page, or empty after the last page
   */
  public record ListedPage(List<Entry> entries, Optional<String> next) {}

  private Listing() {}

  /**
   * Reads the page at a cursor; a page may have fewer messages than the limit.
   *
   * @throws IllegalArgumentException if the cursor is not from a listing of this queue in this
   *     direction
   */
  public static CompletionStage<ListedPage> page(
      QueuePartitions partitions, EntryQuery query, Optional<String> cursor, int limit) {
    List<Partition> all = partitions.all().stream().map(PartitionClient::partition).toList();
    return query.newestFirst()
        ? NewestFirst.page(all, query, cursor, limit)
        : partitionByPartition(all, query, cursor, limit);
  }

  private static CompletionStage<ListedPage> partitionByPartition(
      List<Partition> all, EntryQuery query, Optional<String> cursor, int limit) {
    PartitionCursor from = PartitionCursor.parse(cursor, all.size());
    return all.get(from.partition())
        .browse(query, from.cursor(), limit)
        .thenApply(page -> new ListedPage(page.entries(), from.after(page.next(), all.size())));
  }
}
