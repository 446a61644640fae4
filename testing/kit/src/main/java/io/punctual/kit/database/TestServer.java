package io.punctual.kit.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database server of a test, in a new folder and on a free port. */
public interface TestServer extends AutoCloseable {
  /**
   * The URL of an empty database. It has at least one option, so that further options can be
   * appended after an ampersand.
   */
  String jdbcUrl();

  /** Kills the server, so that it can write nothing more. */
  void kill();

  /** Starts the server again after {@link #kill}. */
  void launch();

  /**
   * Waits until a connection has tried in vain to lock a row that an open transaction has locked.
   */
  default void awaitRefusedLock() throws SQLException {
    awaitRefusedLock(this);
  }

  /** Does the same for a database of this server, which can have several databases. */
  void awaitRefusedLock(TestServer database) throws SQLException;

  /** Executes a query, and returns the number in the first column of the first row. */
  default long query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Executes a statement. */
  default void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  void close();
}
