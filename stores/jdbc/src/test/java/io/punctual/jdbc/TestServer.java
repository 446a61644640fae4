package io.punctual.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database server of a test, in a new folder and on a free port. */
interface TestServer extends AutoCloseable {
  /** The URL of an empty database, with at least an option after a question mark. */
  String jdbcUrl();

  /** Kills the server without a chance to write anything. */
  void kill();

  /** Starts the server again after {@link #kill}. */
  void launch() throws IOException;

  /** Waits until the call of a store gets a lock in vain that an open transaction has. */
  void awaitRefusedLock() throws SQLException;

  /** Returns the number in the first column of the first row. */
  default long query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  void close();
}
