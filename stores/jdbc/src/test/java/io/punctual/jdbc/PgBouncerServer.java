package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** PgBouncer in transaction mode in front of a {@link PostgresServer}, on a free port. */
final class PgBouncerServer implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
  private static final int SECONDS = 30;

  private final int port = FreePorts.next();
  private final Path folder;
  private final Process process;

  private PgBouncerServer(PostgresServer server, int connections) throws IOException {
    folder = Files.createTempDirectory("punctual-pgbouncer");
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        String.join(
            "\n",
            "[databases]",
            "* = host=127.0.0.1 port=" + server.port() + " user=postgres",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            "listen_port = " + port,
            "unix_socket_dir =",
            "auth_type = any",
            "pool_mode = transaction",
            "default_pool_size = " + connections,
            "ignore_startup_parameters = extra_float_digits",
            ""));
    PostgresServer.giveAway(folder);
    List<String> command = new ArrayList<>(PostgresServer.asNobody());
    command.addAll(List.of(PROGRAM.toString(), settings.toString()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        throw new IOException(Files.readString(folder.resolve("log")));
      }
    }
  }

  /**
   * Starts PgBouncer with this number of connections to the server, or skips the test if PgBouncer
   * is not installed.
   */
  static PgBouncerServer inFrontOf(PostgresServer server, int connections) {
    assumeTrue(
        Files.isExecutable(PROGRAM), "Needs PgBouncer; on Debian: apt-get install pgbouncer");
    try {
      return new PgBouncerServer(server, connections);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl())) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** Returns the URL of PgBouncer, with an option that disables prepared statements. */
  String jdbcUrl() {
    return PostgresServer.jdbcUrl(port) + "&prepareThreshold=0";
  }

  @Override
  public void close() {
    process.destroyForcibly();
    PostgresPrograms.delete(folder);
  }
}
