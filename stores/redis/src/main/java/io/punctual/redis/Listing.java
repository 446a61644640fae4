package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.State;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a partition in a state. A page without contents takes two requests: a
 * script finds the messages, and HMGET reads their retries, because values that pass through a
 * script cost the server much more. A message that leaves the state between the two requests
 * appears without its retries. Immutable.
 */
final class Listing {
  /** The most records of retries that a request reads, so that no request takes the server long. */
  private static final int MOST_RETRIES = 250;

  private final RedisPartition partition;
  private final State state;

  Listing(RedisPartition partition, State state) {
    this.partition = partition;
    this.state = state;
  }

  /** Returns a page; see {@link Partition#browse}. */
  CompletionStage<EntryPage> page(
      TimeRange range, @Nullable String cursor, int limit, boolean withContents) {
    if (limit < 1 || limit > Partition.MAX_PAGE) {
      return CompletableFuture.failedStage(
          new IllegalArgumentException("A page has 1 to " + Partition.MAX_PAGE + " messages"));
    }
    List<byte[]> argv =
        partition.argv(
            ascii(ListingReplies.code(state)),
            ascii(Integer.toString(limit)),
            ascii(withContents ? "1" : "0"),
            ascii(range.fromMillis() == Long.MIN_VALUE ? "" : Long.toString(range.fromMillis())),
            ascii(range.toMillis() == Long.MAX_VALUE ? "" : Long.toString(range.toMillis())));
    try {
      argv.addAll(cursor == null ? List.of() : Cursor.parse(cursor).arguments());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedStage(e);
    }
    return withContents
        ? partition.look(
            PartitionScripts.BROWSE, argv, values -> ListingReplies.page(values, state))
        : partition
            .look(PartitionScripts.BROWSE, argv, ListingReplies::listed)
            .thenCompose(this::withRetries);
  }

  private CompletableFuture<EntryPage> withRetries(ListingReplies.Listed listed) {
    CompletableFuture<List<byte @Nullable []>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int from = 0; from < listed.ids().size(); from += MOST_RETRIES) {
      int to = Math.min(listed.ids().size(), from + MOST_RETRIES);
      all = all.thenCombine(retries(listed.ids().subList(from, to)), Listing::joined);
    }
    return all.thenApply(retries -> listed.with(retries, state));
  }

  private CompletableFuture<List<byte @Nullable []>> retries(List<byte[]> ids) {
    return partition
        .retries(ids)
        .thenApply(
            answer ->
                ReplyReader.read(
                    answer,
                    values -> {
                      List<byte @Nullable []> records = new ArrayList<>(ids.size());
                      while (values.hasNext()) {
                        records.add(values.nextBytes());
                      }
                      return records;
                    }));
  }

  private static List<byte @Nullable []> joined(
      List<byte @Nullable []> first, List<byte @Nullable []> second) {
    first.addAll(second);
    return first;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
