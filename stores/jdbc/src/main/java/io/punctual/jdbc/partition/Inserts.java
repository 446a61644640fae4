package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.ConflictException;
import io.punctual.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Inserts new messages. Immutable, so safe for use by many threads. */
final class Inserts {
  private static final String COLUMNS =
      "INTO punctual_message (at_millis, queue_id, attempts, state, cancelled, id, content)";
  private static final String IGNORE = "INSERT IGNORE ";
  private static final String VALUES = "(?, ?, 0, 0, false, ?, ?)";

  /**
   * The maximum size in bytes of the rows in a statement, unless it has a single row or has its
   * rows in arrays. The limit of the database can be lower.
   */
  private static final long STATEMENT_BYTES = 1 << 20;

  private final Dialect dialect;

  Inserts(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Inserts waiting messages without attempts.
   *
   * @throws SQLException if a message exists, or if the database fails
   */
  void insertNew(Connection connection, long queue, List<Row> rows) throws SQLException {
    if (dialect.returnsIds() && !rows.isEmpty()) {
      if (insertArrays(connection, queue, rows).size() < rows.size()) {
        throw new ConflictException("A message with the same id arrived meanwhile");
      }
      return;
    }
    for (int from = 0; from < rows.size(); ) {
      int to = end(rows, from);
      insert(connection, queue, rows.subList(from, to), "INSERT ");
      from = to;
    }
  }

  /**
   * Inserts waiting messages, skips messages that exist, and returns the ids of the inserted
   * messages.
   */
  Set<String> insertAbsent(Connection connection, long queue, List<Row> rows) throws SQLException {
    if (dialect.returnsIds()) {
      return insertArrays(connection, queue, rows);
    }
    Set<String> inserted = new HashSet<>();
    for (int from = 0; from < rows.size(); ) {
      int to = end(rows, from);
      inserted.addAll(insertAbsentOf(connection, queue, rows.subList(from, to)));
      from = to;
    }
    return inserted;
  }

  /**
   * Inserts the absent messages by a single statement, and returns their ids. A JDBC batch can't be
   * used, because some options of the driver hide its counts.
   */
  private Set<String> insertArrays(Connection connection, long queue, List<Row> rows)
      throws SQLException {
    String sql =
        "INSERT "
            + COLUMNS
            + " SELECT at_new, ?, 0, 0, false, id_new, content_new FROM unnest(?::bigint[],"
            + " ?::bytea[], ?::bytea[]) AS added (at_new, id_new, content_new)"
            + dialect.unlessPresent()
            + " RETURNING id";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      Object[] times = rows.stream().map(row -> row.time).toArray();
      Object[] ids = rows.stream().map(row -> Messages.bytes(row.id)).toArray(byte[][]::new);
      Object[] contents = rows.stream().map(row -> row.content).toArray(byte[][]::new);
      statement.setArray(2, connection.createArrayOf("int8", times));
      statement.setArray(3, connection.createArrayOf("bytea", ids));
      statement.setArray(4, connection.createArrayOf("bytea", contents));
      try (ResultSet inserted = statement.executeQuery()) {
        return Messages.ids(inserted);
      }
    }
  }

  private static int setRow(PreparedStatement statement, int first, long queue, Row row)
      throws SQLException {
    statement.setLong(first, row.time);
    statement.setLong(first + 1, queue);
    statement.setBytes(first + 2, Messages.bytes(row.id));
    statement.setBytes(first + 3, row.content);
    return first + 4;
  }

  /** Returns the index after the last row that fits in a statement with the row {@code from}. */
  private int end(List<Row> rows, int from) {
    long room = Math.min(STATEMENT_BYTES, dialect.statementBytes());
    int to = from;
    long bytes = 0;
    do {
      bytes += size(rows.get(to++));
    } while (to < rows.size() && bytes + size(rows.get(to)) <= room);
    return to;
  }

  private static long size(Row row) {
    byte[] content = Objects.requireNonNull(row.content);
    return StatementSize.escaped(content)
        + 2L * row.id.length()
        + VALUES.length()
        + Long.BYTES * 8L;
  }

  /**
   * Inserts the absent messages, and returns their ids. The count of a statement with all messages
   * shows whether all were absent. If not, inserts each message by a separate statement.
   */
  private static Set<String> insertAbsentOf(Connection connection, long queue, List<Row> rows)
      throws SQLException {
    if (rows.size() == 1) {
      Row row = rows.get(0);
      return insert(connection, queue, rows, IGNORE) == 1 ? Set.of(row.id) : Set.of();
    }
    Savepoint before = connection.setSavepoint();
    if (insert(connection, queue, rows, IGNORE) == rows.size()) {
      connection.releaseSavepoint(before);
      return rows.stream().map(row -> row.id).collect(Collectors.toSet());
    }
    connection.rollback(before);
    connection.releaseSavepoint(before);
    Set<String> inserted = new HashSet<>();
    for (Row row : rows) {
      inserted.addAll(insertAbsentOf(connection, queue, List.of(row)));
    }
    return inserted;
  }

  private static int insert(Connection connection, long queue, List<Row> rows, String verb)
      throws SQLException {
    String sql =
        verb + COLUMNS + " VALUES " + String.join(", ", Collections.nCopies(rows.size(), VALUES));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int next = 1;
      for (Row row : rows) {
        next = setRow(statement, next, queue, row);
      }
      return statement.executeUpdate();
    }
  }
}
