package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.State;
import io.punctual.redis.ListingReplies.Listed;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a partition in a state. Values cost the server several times as much if
 * they pass through a script. A page without contents therefore takes several requests: a script
 * finds messages, and HMGET reads the records of their retries. For dead letters, the script finds
 * only the first messages of a page; ZRANGE then reads messages by their ranks, from the last
 * message found. If this message has a different rank now, the script finds the position again.
 *
 * <p>Between these requests, a dead letter can be redriven and die again. So a page of dead letters
 * reads the same ranks again after the records. If the ranks still have the same ids and times of
 * death, the letters are the same. Otherwise the page reads the time of death of each letter, and
 * omits each letter whose time has changed, because its record may belong to a later death.
 * Immutable.
 */
final class Listing {
  /**
   * The largest number of messages in a step of a page without contents, which keeps requests
   * short.
   */
  private static final int STEP = 250;

  /** The largest number of dead letters that the script finds in a step of such a page. */
  private static final int FIRST_DEAD = 10;

  private final RedisPartition partition;
  private final PartitionKeys keys;
  private final EntryQuery query;
  private final State state;

  Listing(RedisPartition partition, EntryQuery query) {
    this.partition = partition;
    this.keys = partition.keys();
    this.query = query;
    this.state = query.state();
  }

  /** Returns a page; see {@link Partition#browse}. */
  CompletionStage<EntryPage> page(@Nullable String cursor, int limit) {
    if (limit < 1 || limit > Partition.MAX_PAGE) {
      return CompletableFuture.failedStage(
          new IllegalArgumentException("A page has 1 to " + Partition.MAX_PAGE + " messages"));
    }
    Cursor after;
    try {
      after = cursor == null ? null : Cursor.parse(cursor, query.newestFirst());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedStage(e);
    }
    return query.withContents()
        ? partition.look(
            PartitionScripts.BROWSE,
            argv(after, limit),
            values -> ListingReplies.page(values, query))
        : heads(after, limit)
            .thenCompose(
                page ->
                    page.entries().isEmpty() && page.next() != null
                        ? page(page.next(), limit)
                        : CompletableFuture.completedStage(page));
  }

  private List<byte[]> argv(@Nullable Cursor after, int limit) {
    TimeRange range = query.range();
    List<byte[]> argv =
        partition.argv(
            ascii(query.withReady() ? "W" : ListingReplies.code(state)),
            ascii(Integer.toString(limit)),
            flag(query.withContents()),
            ascii(range.fromMillis() == Long.MIN_VALUE ? "" : Long.toString(range.fromMillis())),
            ascii(range.toMillis() == Long.MAX_VALUE ? "" : Long.toString(range.toMillis())),
            flag(query.newestFirst()));
    argv.addAll(after == null ? List.of() : after.arguments());
    return argv;
  }

  /** Reads a page without contents in steps. The script finds the messages of this first step. */
  private CompletableFuture<EntryPage> heads(@Nullable Cursor after, int limit) {
    int first = Math.min(limit, followsRanks() ? FIRST_DEAD : STEP);
    return partition
        .look(
            PartitionScripts.BROWSE,
            argv(after, first),
            values -> ListingReplies.listed(values, query.newestFirst()))
        .thenCompose(listed -> heads(listed, limit));
  }

  /**
   * Returns whether ZRANGE finds the further messages of a page by their ranks. Only dead letters
   * in the order of their deaths need it: their listings read all of a queue.
   */
  private boolean followsRanks() {
    return state == State.DEAD && !query.newestFirst();
  }

  private CompletableFuture<EntryPage> heads(Listed listed, int limit) {
    int left = limit - listed.ids().size();
    if (left == 0 || !listed.hasMore()) {
      return withRetries(listed);
    }
    // This request is sent before the requests for the retries. So the server works on the next
    // step while this client still decodes the retries.
    CompletableFuture<EntryPage> rest =
        followsRanks() ? following(listed, left) : heads(listed.last(), left);
    return withRetries(listed).thenCombine(rest, Listing::joined);
  }

  /**
   * Reads the dead letters after the listed letters: by their ranks, or by the script if the ranks
   * have changed.
   */
  private CompletableFuture<EntryPage> following(Listed listed, int limit) {
    int count = Math.min(limit, STEP);
    return deadLetters(listed.lastRank(), count + 2)
        .thenApply(
            answer ->
                ReplyReader.read(
                    answer, values -> listed.following(values, count, query.range().toMillis())))
        .thenCompose(
            next -> next.isPresent() ? heads(next.get(), limit) : heads(listed.last(), limit));
  }

  private CompletableFuture<RedisReply> deadLetters(long rank, int count) {
    byte[] dead = keys.dead();
    return partition.read(dead, Request.membersWithScores(dead, rank, rank + count - 1));
  }

  private static EntryPage joined(EntryPage first, EntryPage rest) {
    List<Entry> entries = new ArrayList<>(first.entries());
    entries.addAll(rest.entries());
    return new EntryPage(List.copyOf(entries), rest.next());
  }

  private CompletableFuture<EntryPage> withRetries(Listed listed) {
    if (listed.ids().isEmpty()) {
      return CompletableFuture.completedFuture(new EntryPage(List.of(), null));
    }
    CompletableFuture<List<byte @Nullable []>> retries =
        values(keys.retries(), listed.ids(), Request::hashValues);
    if (state != State.DEAD) {
      return retries.thenApply(records -> listed.with(records, index -> false, state));
    }
    return retries.thenCompose(
        records -> {
          CompletableFuture<Boolean> same = isStill(listed);
          EntryPage page = listed.with(records, index -> false, state);
          return same.thenCompose(
              isSame ->
                  isSame ? CompletableFuture.completedFuture(page) : withDead(listed, records));
        });
  }

  /** Returns whether the ranks still have the same letters with the same times of death. */
  private CompletableFuture<Boolean> isStill(Listed listed) {
    return deadLetters(listed.rank(), listed.ids().size())
        .thenApply(answer -> ReplyReader.read(answer, listed::isStill));
  }

  private CompletableFuture<EntryPage> withDead(Listed listed, List<byte @Nullable []> records) {
    return values(keys.dead(), listed.ids(), Request::scores)
        .thenApply(
            scores ->
                listed.with(
                    records, i -> !Arrays.equals(scores.get(i), listed.scores().get(i)), state));
  }

  /** Reads a value of each message; null for a message that has none. */
  private CompletableFuture<List<byte @Nullable []>> values(
      byte[] key, List<byte[]> ids, BiFunction<byte[], List<byte[]>, Request> request) {
    return partition
        .read(key, request.apply(key, ids))
        .thenApply(answer -> ReplyReader.read(answer, reader -> values(reader, ids.size())));
  }

  private static List<byte @Nullable []> values(ReplyReader reader, int count) {
    List<byte @Nullable []> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(reader.nextBytes());
    }
    return values;
  }

  private static byte[] flag(boolean isSet) {
    return ascii(isSet ? "1" : "0");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
