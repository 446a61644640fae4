package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.State;
import io.punctual.redis.client.Request;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a partition in a state. A page without contents takes several requests: a
 * script finds the messages, and HMGET reads their retries, because values that pass through a
 * script cost the server much more. A message can leave the state between these requests. A page of
 * dead letters therefore reads their times of death again, after the retries, and omits each letter
 * whose time has changed, because its failures may belong to a later death. Immutable.
 */
final class Listing {
  /**
   * The largest number of messages whose retries one request reads, so that the request is short.
   */
  private static final int STEP = 250;

  private final RedisPartition partition;
  private final PartitionKeys keys;
  private final State state;

  Listing(RedisPartition partition, State state) {
    this.partition = partition;
    this.keys = partition.keys();
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
            .thenCompose(this::withRetries)
            .thenCompose(
                page ->
                    page.entries().isEmpty() && page.next() != null
                        ? page(range, page.next(), limit, false)
                        : CompletableFuture.completedStage(page));
  }

  private CompletableFuture<EntryPage> withRetries(ListingReplies.Listed listed) {
    CompletableFuture<List<byte @Nullable []>> retries =
        values(listed.ids(), keys.retries(), Request::hashValues);
    if (state != State.DEAD) {
      return retries.thenApply(records -> listed.with(records, index -> false, state));
    }
    // The server executes the requests of a connection in the order of their sending.
    return retries.thenCombine(
        values(listed.ids(), keys.dead(), Request::scores),
        (records, died) ->
            listed.with(records, i -> isOther(listed.scores().get(i), died.get(i)), state));
  }

  private static boolean isOther(long millis, byte @Nullable [] score) {
    return score == null || ReplyReader.millis(new String(score, US_ASCII)) != millis;
  }

  /** Reads a value of each message. The requests are sent at once, each for some messages. */
  private CompletableFuture<List<byte @Nullable []>> values(
      List<byte[]> ids, byte[] key, BiFunction<byte[], List<byte[]>, Request> request) {
    CompletableFuture<List<byte @Nullable []>> all =
        CompletableFuture.completedFuture(new ArrayList<>(ids.size()));
    for (int from = 0; from < ids.size(); from += STEP) {
      List<byte[]> some = ids.subList(from, Math.min(ids.size(), from + STEP));
      all =
          all.thenCombine(
              partition
                  .read(key, request.apply(key, some))
                  .thenApply(answer -> ReplyReader.read(answer, reader -> values(reader, some))),
              Listing::joined);
    }
    return all;
  }

  private static List<byte @Nullable []> values(ReplyReader reader, List<byte[]> ids) {
    List<byte @Nullable []> values = new ArrayList<>(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      values.add(reader.nextBytes());
    }
    return values;
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
