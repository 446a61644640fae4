package io.punctual.benchmarks.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.kit.database.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.quartz.Job;

/**
 * A separate PostgreSQL server for a trial, with its defaults, and the tables of db-scheduler and
 * of Quartz.
 */
final class PostgresBroker implements Broker {
  private static final String QUARTZ = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
  private static final List<String> DB_SCHEDULER =
      List.of(
          """
          CREATE TABLE scheduled_tasks (
            task_name text, task_instance text, task_data bytea,
            execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
            last_success timestamptz, last_failure timestamptz, consecutive_failures int,
            last_heartbeat timestamptz, version bigint NOT NULL,
            PRIMARY KEY (task_name, task_instance))
          """,
          "CREATE INDEX ON scheduled_tasks (execution_time)",
          "CREATE INDEX ON scheduled_tasks (last_heartbeat)");

  private final PostgresServer server =
      PostgresServer.builder(Program.POSTGRES.require().resolveSibling(".").normalize()).start();

  PostgresBroker() {
    try {
      createSchema();
    } catch (SQLException | IOException e) {
      server.close();
      throw new IllegalStateException(e);
    }
  }

  private void createSchema() throws SQLException, IOException {
    try (InputStream quartz = Objects.requireNonNull(Job.class.getResourceAsStream(QUARTZ));
        Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String line : DB_SCHEDULER) {
        statement.execute(line);
      }
      statement.execute(new String(quartz.readAllBytes(), UTF_8));
    }
  }

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
        ResultSet row = statement.executeQuery("SELECT pg_database_size(current_database())")) {
      row.next();
      return OptionalDouble.of(row.getDouble(1));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
