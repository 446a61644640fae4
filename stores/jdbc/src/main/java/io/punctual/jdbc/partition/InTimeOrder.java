package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads messages of a queue in the order of their times and ids, or in the opposite order, from a
 * position on. The statements find the position by the index, so the messages before it cost
 * nothing, even if all messages have the same time. Immutable, so safe for use by many threads.
 *
 * @param columns the columns to read
 * @param fetchRows the number of rows that the driver reads at a time, or 0 for all rows at once
 * @param newestFirst whether to read in the opposite order
 */
record InTimeOrder(Dialect dialect, String columns, int fetchRows, boolean newestFirst) {
  InTimeOrder(Dialect dialect, String columns) {
    this(dialect, columns, 0, false);
  }

  /** Receives a row. */
  interface Reader {
    /** Reads a row. Returns false to read no further row. */
    boolean read(ResultSet row) throws SQLException;
  }

  /** Reads rows without locks. */
  void read(
      Connection connection,
      long queue,
      int state,
      Position after,
      long lastMillis,
      int limit,
      Reader reader)
      throws SQLException {
    read(connection, queue, state, after, lastMillis, limit, "", reader);
  }

  /**
   * Reads rows.
   *
   * @param state the code of the state in the table
   * @param after the position at which to begin
   * @param lastMillis the last time to read in this order, inclusive
   * @param limit the maximum number of rows
   * @param lock the clause that locks the rows; may be empty
   */
  void read(
      Connection connection,
      long queue,
      int state,
      Position after,
      long lastMillis,
      int limit,
      String lock,
      Reader reader)
      throws SQLException {
    int left = limit;
    for (Dialect.After part : newestFirst ? dialect.before() : dialect.after()) {
      String sql =
          "SELECT "
              + columns
              + " FROM punctual_message"
              + dialect.byTime()
              + " WHERE queue_id = ? AND state = ? AND at_millis "
              + (newestFirst ? ">=" : "<=")
              + " ? AND "
              + part.condition()
              // H2 reads in the order of the index only if the order names all columns.
              + (newestFirst
                  ? " ORDER BY queue_id DESC, state DESC, at_millis DESC, id DESC LIMIT ?"
                  : " ORDER BY queue_id, state, at_millis, id LIMIT ?")
              + lock;
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        if (fetchRows > 0) {
          statement.setFetchSize(dialect.fetchRows(fetchRows));
        }
        statement.setLong(1, queue);
        statement.setInt(2, state);
        statement.setLong(3, lastMillis);
        int next = part.set(statement, 4, after.millis(), after.id());
        statement.setInt(next, left);
        try (ResultSet rows = statement.executeQuery()) {
          for (; rows.next(); left--) {
            if (!reader.read(rows)) {
              return;
            }
          }
        }
      }
      if (left == 0) {
        return;
      }
    }
  }
}
