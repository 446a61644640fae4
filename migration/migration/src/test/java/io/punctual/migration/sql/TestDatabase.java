package io.punctual.migration.sql;

import io.punctual.migration.copy.Postgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

record TestDatabase(DataSource source, Runnable end) implements AutoCloseable {
  /** Returns a database in memory. */
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

  /** Returns a new database of a PostgreSQL server. */
  static TestDatabase of(Postgres server) throws SQLException {
    String name = "test" + UUID.randomUUID().toString().replace("-", "");
    String url = server.url().replace("&createTables=true", "");
    new TestDatabase(new UrlSource(url), () -> {}).execute("CREATE DATABASE " + name);
    return new TestDatabase(new UrlSource(url.replace("/postgres?", "/" + name + "?")), () -> {});
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

  @Override
  public void close() {
    end.run();
  }
}
