package io.punctual.kit.database;

import io.punctual.kit.process.Folders;
import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** PgBouncer in transaction mode in front of a {@link PostgresServer}, on a free port. */
public final class PgBouncerServer implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

  private final int port = FreePorts.next();
  private final ServerProcess server;

  private PgBouncerServer(PostgresServer behind, int connections) throws IOException {
    Path folder = Folders.create("punctual-pgbouncer");
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        String.join(
            "\n",
            "[databases]",
            "* = host=127.0.0.1 port=" + behind.port() + " user=postgres",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            "listen_port = " + port,
            "unix_socket_dir =",
            "auth_type = any",
            "pool_mode = transaction",
            "default_pool_size = " + connections,
            "ignore_startup_parameters = extra_float_digits",
            ""));
    server =
        ServerProcess.builder("pgbouncer")
            .folder(folder)
            .asNobody()
            .command(List.of(PROGRAM.toString(), settings.toString()))
            .ready(() -> Connections.canOpen(jdbcUrl()))
            .start();
  }

  /**
   * Starts PgBouncer with this number of connections to the server, or skips the test if PgBouncer
   * is not installed.
   */
  public static PgBouncerServer inFrontOf(PostgresServer server, int connections) {
    if (!Files.isExecutable(PROGRAM)) {
      throw new TestAbortedException("Needs PgBouncer; on Debian: apt-get install pgbouncer");
    }
    try {
      return new PgBouncerServer(server, connections);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the URL of PgBouncer, with an option that disables prepared statements. */
  public String jdbcUrl() {
    return PostgresServer.jdbcUrl(port) + "&prepareThreshold=0";
  }

  @Override
  public void close() {
    server.close();
  }
}
