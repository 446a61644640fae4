package io.punctual.migration.sql;

import io.punctual.kit.database.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

record TestDatabase(DataSource source, Runnable end) implements AutoCloseable {
  static TestDatabase h2() throws SQLException {
    DataSource source = new UrlSource("jdbc:h2:mem:" + UUID.randomUUID());
    Connection keeper = source.getConnection();
    return new TestDatabase(
        source,
        () -> {
          try {
            keeper.close();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Returns a new database of the PostgreSQL server that the tests share. */
  static TestDatabase ofPostgres() {
    return new TestDatabase(new UrlSource(PostgresServer.shared().jdbcUrl()), () -> {});
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  long count(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Returns the value of the first row. */
  String text(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public void close() {
    end.run();
  }
}
