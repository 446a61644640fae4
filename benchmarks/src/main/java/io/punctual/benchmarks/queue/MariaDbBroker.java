package io.punctual.benchmarks.queue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** A separate MariaDB server for a trial, with its defaults. */
final class MariaDbBroker implements Broker {
  private static final int INSTALL_SECONDS = 60;

  private final int port = FreePorts.next();
  private final Path directory;
  private final ServerProcess server;

  MariaDbBroker(Path directory) {
    this.directory = directory;
    Path program = Program.MARIADB.require();
    install();
    server =
        ServerProcess.start(
                directory,
                "mariadb",
                Map.of(),
                command(
                    program.toString(),
                    "--port=" + port,
                    "--bind-address=127.0.0.1",
                    "--socket=" + directory.resolve("socket"),
                    "--pid-file=" + directory.resolve("pid")))
            .await(this::createDatabase);
  }

  private List<String> command(String program, String... options) {
    List<String> command = new ArrayList<>(List.of(program, "--no-defaults"));
    command.add("--datadir=" + directory.resolve("mariadb"));
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(List.of(options));
    return command;
  }

  private void install() {
    List<String> command =
        command(
            "mariadb-install-db",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("install.log").toFile())
              .start();
      if (!process.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException("mariadb-install-db failed; see install.log");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted during mariadb-install-db", e);
    }
  }

  private void createDatabase() throws Exception {
    try (Connection connection =
        DriverManager.getConnection(url() + "&createDatabaseIfNotExist=true")) {
      if (!connection.isValid(1)) {
        throw new IllegalStateException("MariaDB is not ready");
      }
    }
  }

  @Override
  public String url() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/punctual?user=root";
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
        ResultSet row =
            statement.executeQuery(
                "SELECT coalesce(sum(file_size), 0) FROM information_schema.innodb_sys_tablespaces"
                    + " WHERE name LIKE 'punctual/%'")) {
      row.next();
      return OptionalDouble.of(row.getDouble(1));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
