package io.punctual.benchmarks.queue;

import io.punctual.kit.database.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalDouble;

/** A separate MariaDB server for a trial, with its defaults. */
final class MariaDbBroker implements Broker {
  private final MariaDbServer server = MariaDbServer.withDefaults(Program.MARIADB.require());

  @Override
  public String url() {
    return server.jdbcUrl();
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(server.cpuTime().toNanos() / 1e9);
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.empty();
  }

  @Override
  public OptionalDouble tableBytes() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT coalesce(sum(file_size), 0) FROM information_schema.innodb_sys_tablespaces"
                    + " WHERE name LIKE 'shop/%'")) {
      row.next();
      return OptionalDouble.of(row.getDouble(1));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
