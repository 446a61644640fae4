package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.Place;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The statements of find, browse, counts and forecast. Stateless, so safe for use by many threads.
 */
final class LookUps {
  static final String COLUMNS =
      "id, state, at_millis, due_millis, attempts, cancelled, history, holder";

  /** The size in bytes of contents and histories at which a page ends. */
  private static final long PAGE_BYTES = 4 << 20;

  static final int FETCH_ROWS = 64;

  /**
   * The charset of ids in cursors. It preserves the bytes of every id, even of an id that is not
   * UTF-8.
   */
  private static final Charset CURSOR = StandardCharsets.ISO_8859_1;

  private LookUps() {}

  static Optional<Entry> find(
      Connection connection, Dialect dialect, @Nullable QueueRow queue, String id)
      throws SQLException {
    if (queue == null) {
      return Optional.empty();
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT " + COLUMNS + ", content FROM punctual_message WHERE " + dialect.hasId())) {
      statement.setLong(1, queue.id());
      statement.setBytes(2, Messages.bytes(id));
      try (ResultSet found = statement.executeQuery()) {
        return found.next() && !isForgotten(found, millis(queue))
            ? Optional.of(entry(found, millis(queue), true))
            : Optional.empty();
      }
    }
  }

  /** Finds messages by the bytes of their ids, in sorted order. */
  static List<Entry> find(
      Connection connection, Dialect dialect, @Nullable QueueRow queue, List<byte[]> ids)
      throws SQLException {
    List<Entry> entries = new ArrayList<>();
    if (queue == null || ids.isEmpty()) {
      return entries;
    }
    String sql =
        "SELECT "
            + COLUMNS
            + ", content FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIds(ids.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setFetchSize(dialect.fetchRows(FETCH_ROWS));
      statement.setLong(1, queue.id());
      dialect.setIds(statement, 2, ids);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          if (!isForgotten(found, millis(queue))) {
            entries.add(entry(found, millis(queue), true));
          }
        }
      }
    }
    return entries;
  }

  private static long millis(QueueRow queue) {
    return Math.floorDiv(queue.nowMicros(), 1000);
  }

  static boolean isForgotten(ResultSet found, long nowMillis) throws SQLException {
    return found.getInt(2) == Messages.code(Place.FINISHED) && found.getLong(3) <= nowMillis;
  }

  static Entry entry(ResultSet found, long nowMillis, boolean withContent) throws SQLException {
    Place place = Place.withCode(found.getInt(2) + 1);
    long time = found.getLong(3);
    byte[] history = found.getBytes(7);
    return new Entry(
        Messages.text(found.getBytes(1)),
        place.state(time, nowMillis),
        withContent && place != Place.FINISHED ? content(found.getBytes(9)) : null,
        place == Place.WAITING ? time : found.getLong(4),
        found.getInt(5),
        history == null ? Row.NO_HISTORY : history,
        place == Place.LEASED ? time : 0,
        found.getBoolean(6),
        place == Place.DEAD ? time : 0,
        place == Place.LEASED ? found.getString(8) : null);
  }

  private static @Nullable Content content(byte[] encoded) {
    try {
      return ContentFormat.decode(encoded);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Lists messages; see {@link Partition#browse}.
   *
   * @throws IllegalArgumentException if the cursor or the limit is wrong
   */
  static EntryPage browse(
      StoreParts parts, String queue, EntryQuery query, @Nullable String cursor, int limit) {
    require(
        limit >= 1 && limit <= Partition.MAX_PAGE,
        "A page has 1 to " + Partition.MAX_PAGE + " messages");
    Cursor after = Cursor.parse(cursor, query.newestFirst());
    return parts
        .transactions()
        .run(
            connection ->
                browse(
                    connection,
                    parts.dialect(),
                    parts.queues().find(connection, queue),
                    query,
                    after,
                    limit));
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  private static EntryPage browse(
      Connection connection,
      Dialect dialect,
      @Nullable QueueRow queue,
      EntryQuery query,
      Cursor after,
      int limit)
      throws SQLException {
    if (queue == null || query.range().isEmpty()) {
      return new EntryPage(List.of(), null);
    }
    long now = millis(queue);
    long first = query.firstMillis(now);
    long last = query.lastMillis(now);
    Position cursor = new Position(after.time(), after.id().getBytes(CURSOR));
    PageBuilder page = new PageBuilder(limit, now, query);
    String columns = COLUMNS + (query.withContents() ? ", content" : "");
    new InTimeOrder(dialect, columns, FETCH_ROWS, query.newestFirst())
        .read(
            connection,
            queue.id(),
            Messages.code(Place.of(query.state())),
            query.newestFirst() ? cursor.upTo(last) : cursor.from(first),
            query.newestFirst() ? first : last,
            limit + 1,
            page::add);
    return page.build();
  }

  /** Collects the messages of a page. */
  private static final class PageBuilder {
    private final int limit;
    private final long nowMillis;
    private final EntryQuery query;
    private final List<Entry> entries = new ArrayList<>();
    private long bytes;
    private @Nullable Cursor last;
    private boolean hasNext;

    PageBuilder(int limit, long nowMillis, EntryQuery query) {
      this.limit = limit;
      this.nowMillis = nowMillis;
      this.query = query;
    }

    /** Adds a message. Returns false if the message belongs to the next page. */
    boolean add(ResultSet found) throws SQLException {
      if (entries.size() == limit || bytes > PAGE_BYTES) {
        hasNext = true;
        return false;
      }
      Entry entry = entry(found, nowMillis, query.withContents());
      entries.add(entry);
      bytes += entry.history().length;
      bytes += entry.content() == null ? 0 : entry.content().approximateBytes();
      String id = new String(found.getBytes(1), CURSOR);
      last = new Cursor(found.getLong(3), id, query.newestFirst());
      return true;
    }

    EntryPage build() {
      return new EntryPage(entries, hasNext && last != null ? last.toString() : null);
    }
  }

  static PartitionCounts counts(Connection connection, Dialect dialect, @Nullable QueueRow queue)
      throws SQLException {
    if (queue == null) {
      return new PartitionCounts(0, 0, 0, 0, 0, false);
    }
    String sql =
        "SELECT state, count(*), coalesce(sum(CASE WHEN at_millis <= ? THEN 1 ELSE 0 END), 0),"
            + " min(at_millis)"
            + " FROM punctual_message WHERE queue_id = ? GROUP BY state";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, millis(queue));
      statement.setLong(2, queue.id());
      try (ResultSet rows = statement.executeQuery()) {
        long[] counts = new long[4];
        long[] over = new long[4];
        long[] first = new long[4];
        while (rows.next()) {
          int state = rows.getInt(1);
          counts[state] = rows.getLong(2);
          over[state] = rows.getLong(3);
          first[state] = rows.getLong(4);
        }
        return new PartitionCounts(
            counts[0] - over[0],
            over[0],
            counts[1],
            counts[2],
            counts[3] - over[3],
            queue.paused(),
            queue.paused() ? PauseNotes.read(connection, dialect, queue) : PauseNote.NONE,
            queue.limits(),
            PartitionCounts.overdueMillis(over[0], first[0], millis(queue)));
      }
    }
  }

  /**
   * Counts due messages in spans of time; see {@link Partition#forecast}.
   *
   * @throws IllegalArgumentException if the width or the number of spans is wrong
   */
  static long[] forecast(StoreParts parts, String queue, long fromMillis, long width, int buckets) {
    requireSpans(width, buckets);
    return parts
        .transactions()
        .run(
            connection ->
                forecast(
                    connection,
                    parts.dialect(),
                    parts.queues().find(connection, queue),
                    fromMillis,
                    width,
                    buckets));
  }

  private static long[] forecast(
      Connection connection,
      Dialect dialect,
      @Nullable QueueRow queue,
      long fromMillis,
      long width,
      int buckets)
      throws SQLException {
    long[] counts = new long[buckets];
    if (queue == null) {
      return counts;
    }
    String sql = spans(dialect, "queue_id = ?") + " GROUP BY queue_id, bucket";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, fromMillis);
      statement.setLong(2, width);
      statement.setLong(3, queue.id());
      statement.setLong(4, fromMillis);
      statement.setLong(5, lastMillis(fromMillis, width, buckets));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          counts[rows.getInt(2)] = rows.getLong(3);
        }
      }
    }
    return counts;
  }

  static void requireSpans(long width, int buckets) {
    require(width >= 1, "A span of a forecast is 1 ms or more");
    require(
        buckets >= 1 && buckets <= Partition.MAX_BUCKETS,
        "A forecast has 1 to " + Partition.MAX_BUCKETS + " spans");
  }

  /**
   * The SELECT of the queue, the span and the number of the waiting messages in spans of time; a
   * GROUP BY of both columns must follow. A subselect computes the spans, so that the GROUP BY has
   * no parameters: databases do not regard two equal expressions as the same if they have
   * parameters. The parameters are the start, the width, those of the condition, the start and the
   * last millisecond.
   *
   * @param ofQueues the condition that selects the queues
   */
  static String spans(Dialect dialect, String ofQueues) {
    return "SELECT queue_id, bucket, count(*) FROM (SELECT queue_id, (at_millis - ?) "
        + dialect.quotient()
        + " ? AS bucket FROM punctual_message WHERE "
        + ofQueues
        + " AND state = 0 AND at_millis >= ? AND at_millis <= ?) AS spans";
  }

  static long lastMillis(long fromMillis, long width, int buckets) {
    try {
      return Math.addExact(fromMillis, Math.multiplyExact(width, (long) buckets)) - 1;
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
