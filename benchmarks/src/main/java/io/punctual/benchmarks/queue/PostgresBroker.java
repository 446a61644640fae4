package io.punctual.benchmarks.queue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** A separate PostgreSQL server for a trial, with its defaults and the table of db-scheduler. */
final class PostgresBroker implements Broker {
  private static final String USER = "postgres";
  private static final int INIT_SECONDS = 60;
  private static final List<String> SCHEMA =
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

  private final int port = FreePorts.next();
  private final ServerProcess server;

  PostgresBroker(Path directory) {
    Path program = Program.POSTGRES.require();
    Path data = directory.resolve("postgres");
    try {
      own(directory);
      initialise(directory, program.resolveSibling("initdb"), data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = new ArrayList<>(asUser());
    command.addAll(List.of(program.toString(), "-D", data.toString()));
    command.addAll(List.of("-p", Integer.toString(port)));
    command.addAll(List.of("-c", "listen_addresses=127.0.0.1"));
    command.addAll(List.of("-c", "unix_socket_directories="));
    server =
        ServerProcess.start(directory, "postgres", Map.of(), command).await(this::createSchema);
  }

  /**
   * Returns the words that run a command as the user postgres if this process runs as root, because
   * PostgreSQL refuses to run as root; otherwise none.
   */
  private static List<String> asUser() {
    return isRoot()
        ? List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups")
        : List.of();
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static void own(Path directory) throws IOException {
    if (isRoot()) {
      Files.setOwner(
          directory,
          directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
    }
  }

  private static void initialise(Path directory, Path program, Path data) throws IOException {
    List<String> command = new ArrayList<>(asUser());
    command.addAll(List.of(program.toString(), "-D", data.toString(), "-U", USER));
    command.addAll(List.of("--auth=trust", "--no-sync"));
    Path log = directory.resolve("initdb.log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(INIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException("initdb failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted during initdb", e);
    }
  }

  private void createSchema() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String line : SCHEMA) {
        statement.execute(line);
      }
    }
  }

  @Override
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + USER;
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(server.cpuSeconds());
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
