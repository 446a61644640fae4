package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Look-ups in many queues by two statements. For a single thread. */
public final class ManyLookUps {
  private final Dialect dialect;
  private final List<String> names;
  private final Map<Long, String> queues = new HashMap<>();
  private long nowMillis;

  private ManyLookUps(Dialect dialect, List<String> names) {
    this.dialect = dialect;
    this.names = names;
  }

  /** Returns the message with an id in each queue that has one, in the order of the queues. */
  public static List<Optional<Entry>> find(StoreParts parts, List<String> names, String id) {
    return parts
        .transactions()
        .run(
            connection -> {
              ManyLookUps many = new ManyLookUps(parts.dialect(), names);
              Map<String, Entry> found = many.find(connection, Messages.bytes(id));
              return many.inOrder(name -> Optional.ofNullable(found.get(name)));
            });
  }

  /** Returns the counts of each queue in spans of time, in the order of the queues. */
  public static List<long[]> forecast(
      StoreParts parts, List<String> names, long fromMillis, long width, int buckets) {
    LookUps.requireSpans(width, buckets);
    return parts
        .transactions()
        .run(
            connection -> {
              ManyLookUps many = new ManyLookUps(parts.dialect(), names);
              Map<String, long[]> counts = many.forecast(connection, fromMillis, width, buckets);
              return many.inOrder(name -> counts.getOrDefault(name, new long[buckets]));
            });
  }

  private <R> List<R> inOrder(Function<String, R> answer) {
    return names.stream().map(answer).toList();
  }

  /** Reads the numbers of the queues, and the time of the database's clock. */
  private List<Long> numbers(Connection connection) throws SQLException {
    if (names.isEmpty()) {
      return List.of();
    }
    String sql =
        "SELECT queue_id, name, "
            + dialect.nowMicros()
            + dialect.lookUp()
            + " FROM punctual_queue WHERE name"
            + Dialect.in(names.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.size(); i++) {
        statement.setString(i + 1, names.get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          queues.put(row.getLong(1), row.getString(2));
          nowMillis = Math.floorDiv(row.getLong(3), 1000);
        }
      }
    }
    return List.copyOf(queues.keySet());
  }

  private Map<String, Entry> find(Connection connection, byte[] id) throws SQLException {
    Map<String, Entry> found = new HashMap<>();
    List<Long> numbers = numbers(connection);
    if (numbers.isEmpty()) {
      return found;
    }
    String sql =
        "SELECT "
            + LookUps.COLUMNS
            + ", content, queue_id FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIdInQueues(numbers.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setFetchSize(dialect.fetchRows(LookUps.FETCH_ROWS));
      set(statement, 1, numbers);
      statement.setBytes(numbers.size() + 1, id);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          if (!LookUps.isForgotten(row, nowMillis)) {
            found.put(queues.get(row.getLong(10)), LookUps.entry(row, nowMillis, true));
          }
        }
      }
    }
    return found;
  }

  private Map<String, long[]> forecast(
      Connection connection, long fromMillis, long width, int buckets) throws SQLException {
    Map<String, long[]> counts = new HashMap<>();
    List<Long> numbers = numbers(connection);
    if (numbers.isEmpty()) {
      return counts;
    }
    String sql =
        LookUps.spans(dialect, "queue_id" + Dialect.in(numbers.size()))
            + " GROUP BY queue_id, bucket";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, fromMillis);
      statement.setLong(2, width);
      set(statement, 3, numbers);
      statement.setLong(numbers.size() + 3, fromMillis);
      statement.setLong(numbers.size() + 4, LookUps.lastMillis(fromMillis, width, buckets));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          counts
                  .computeIfAbsent(queues.get(row.getLong(1)), name -> new long[buckets])[
                  row.getInt(2)] =
              row.getLong(3);
        }
      }
    }
    return counts;
  }

  private static void set(PreparedStatement statement, int from, List<Long> numbers)
      throws SQLException {
    for (int i = 0; i < numbers.size(); i++) {
      statement.setLong(from + i, numbers.get(i));
    }
  }
}
