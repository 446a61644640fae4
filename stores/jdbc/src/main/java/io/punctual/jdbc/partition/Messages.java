package io.punctual.jdbc.partition;

import io.punctual.embedded.Place;
import io.punctual.jdbc.sql.Dialect;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Reads, locks and writes the rows of messages. Rows are usually locked in the order of their ids,
 * so that deadlocks are rare. Immutable, so safe for use by many threads.
 */
final class Messages {
  private static final String SET =
      " SET at_millis = ?, due_millis = ?, token = ?, attempts = ?," + " state = ?, cancelled = ?";

  private final Dialect dialect;
  private final Inserts inserts;
  private final String update;
  private final String ofId;

  Messages(Dialect dialect) {
    this.dialect = dialect;
    inserts = new Inserts(dialect);
    update = "UPDATE punctual_message" + dialect.byId() + SET;
    ofId = " WHERE " + dialect.hasId();
  }

  static byte[] bytes(String id) {
    return id.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] id) {
    return new String(id, StandardCharsets.UTF_8);
  }

  static List<byte[]> sortedBytes(Collection<String> ids) {
    return ids.stream().sorted().map(Messages::bytes).toList();
  }

  /** The code of a place in the column {@code state}. */
  static int code(Place place) {
    return place.code() - 1;
  }

  /**
   * Reads and locks the messages with these ids.
   *
   * @param lock the clause that locks the rows
   */
  List<Row> lock(Connection connection, long queue, Collection<String> ids, String lock)
      throws SQLException {
    List<byte[]> sorted = sortedBytes(ids);
    String sql =
        "SELECT id, state, at_millis, due_millis, token, attempts, cancelled FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIds(sorted.size())
            + " ORDER BY id"
            + lock;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, sorted);
      try (ResultSet found = statement.executeQuery()) {
        List<Row> rows = new ArrayList<>();
        while (found.next()) {
          rows.add(read(found));
        }
        return rows;
      }
    }
  }

  /**
   * Reads the committed versions of the messages with these ids, without locks. Two versions of a
   * message differ, with few exceptions.
   */
  Map<String, String> versions(Connection connection, long queue, Collection<String> ids)
      throws SQLException {
    List<byte[]> sorted = sortedBytes(ids);
    String sql =
        "SELECT id, at_millis, due_millis, token, attempts, state, cancelled, "
            + dialect.contentVersion()
            + " FROM punctual_message"
            + dialect.byId()
            + " WHERE "
            + dialect.hasIds(sorted.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, sorted);
      try (ResultSet found = statement.executeQuery()) {
        Map<String, String> versions = new HashMap<>();
        while (found.next()) {
          StringJoiner version = new StringJoiner(",");
          for (int column = 2; column <= 8; column++) {
            version.add(found.getString(column));
          }
          versions.put(text(found.getBytes(1)), version.toString());
        }
        return versions;
      }
    }
  }

  private static Row read(ResultSet found) throws SQLException {
    Row row = new Row(text(found.getBytes(1)));
    row.stored = true;
    row.place = Place.withCode(found.getInt(2) + 1);
    row.time = found.getLong(3);
    row.due = found.getLong(4);
    row.token = found.getLong(5);
    row.attempts = found.getInt(6);
    row.cancelled = found.getBoolean(7);
    return row;
  }

  void write(Connection connection, long queue, List<Row> rows) throws SQLException {
    List<Row> changed =
        rows.stream()
            .filter(row -> row.changed)
            .sorted(Comparator.comparing(row -> row.id))
            .toList();
    delete(
        connection,
        queue,
        changed.stream()
            .filter(row -> row.stored && isFree(row))
            .map(row -> bytes(row.id))
            .toList());
    update(connection, queue, changed.stream().filter(row -> row.stored && !isFree(row)).toList());
    List<Row> added = changed.stream().filter(row -> !row.stored && !isFree(row)).toList();
    inserts.insertNew(connection, queue, added);
    // An insert stores a waiting message without attempts, so other restored messages need an
    // update.
    List<Row> restored = added.stream().filter(Row::hasPast).toList();
    batch(connection, queue, restored, update + ", history = ?" + ofId, 1);
  }

  private static boolean isFree(Row row) {
    return row.place == Place.FREE;
  }

  /** Deletes the messages with these ids. The transaction must have locked them. */
  void delete(Connection connection, long queue, List<byte[]> ids) throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    String sql = dialect.deleteById() + " WHERE " + dialect.hasIds(ids.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, ids);
      statement.executeUpdate();
    }
  }

  /**
   * Deletes the messages with these ids that are leased with this token, and returns the ids of the
   * deleted messages. The expression for the state keeps PostgreSQL from using the index by time.
   * That index still has the entries of all earlier leases that no vacuum has removed.
   */
  Set<String> deleteLeased(Connection connection, long queue, long token, Collection<String> ids)
      throws SQLException {
    List<byte[]> sorted = sortedBytes(ids);
    String sql =
        "DELETE FROM punctual_message WHERE "
            + dialect.hasIds(sorted.size())
            + " AND state + 0 = 1 AND token = ? RETURNING id";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      dialect.setIds(statement, 2, sorted);
      statement.setLong(3, token);
      try (ResultSet deleted = statement.executeQuery()) {
        return ids(deleted);
      }
    }
  }

  static Set<String> ids(ResultSet found) throws SQLException {
    Set<String> ids = new HashSet<>();
    while (found.next()) {
      ids.add(text(found.getBytes(1)));
    }
    return ids;
  }

  private void update(Connection connection, long queue, List<Row> rows) throws SQLException {
    update(connection, queue, rows.stream().filter(row -> row.content != null).toList(), true);
    update(connection, queue, rows.stream().filter(row -> row.content == null).toList(), false);
  }

  /** Updates rows. A row with a new content also has a new history. */
  private void update(Connection connection, long queue, List<Row> rows, boolean withContent)
      throws SQLException {
    if (withContent) {
      String sql = update + ", history = ?, content = ?" + ofId;
      batch(connection, queue, rows, sql, 2);
      return;
    }
    List<Row> withHistory = rows.stream().filter(row -> row.history != null).toList();
    batch(connection, queue, withHistory, update + ", history = ?" + ofId, 1);
    List<Row> others = rows.stream().filter(row -> row.history == null).toList();
    batch(connection, queue, others, update + ofId, 0);
  }

  private static void batch(
      Connection connection, long queue, List<Row> rows, String sql, int blobs)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (Row row : rows) {
        int next = setColumns(statement, 1, row);
        if (blobs > 0) {
          setHistory(statement, next++, row.history);
        }
        if (blobs > 1) {
          statement.setBytes(next++, row.content);
        }
        statement.setLong(next++, queue);
        statement.setBytes(next, bytes(row.id));
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private static int setColumns(PreparedStatement statement, int first, Row row)
      throws SQLException {
    statement.setLong(first, row.time);
    if (row.place == Place.WAITING) {
      statement.setNull(first + 1, Types.BIGINT);
    } else {
      statement.setLong(first + 1, row.due);
    }
    if (row.token == 0) {
      statement.setNull(first + 2, Types.BIGINT);
    } else {
      statement.setLong(first + 2, row.token);
    }
    statement.setInt(first + 3, row.attempts);
    statement.setInt(first + 4, code(row.place));
    statement.setBoolean(first + 5, row.cancelled);
    return first + 6;
  }

  private static void setHistory(PreparedStatement statement, int index, byte @Nullable [] history)
      throws SQLException {
    statement.setBytes(index, history == null || history.length == 0 ? null : history);
  }

  /** Deletes the expired remembered ids. */
  static void deleteForgotten(Connection connection, QueueRow queue) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM punctual_message WHERE queue_id = ? AND state = ? AND at_millis <= ?")) {
      statement.setLong(1, queue.id());
      statement.setInt(2, code(Place.FINISHED));
      statement.setLong(3, Math.floorDiv(queue.nowMicros(), 1000));
      statement.executeUpdate();
    }
  }

  /** Returns whether a queue has a message or a remembered id. */
  static boolean any(Connection connection, long queue) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM punctual_message WHERE queue_id = ? LIMIT 1")) {
      statement.setLong(1, queue);
      try (ResultSet found = statement.executeQuery()) {
        return found.next();
      }
    }
  }
}
