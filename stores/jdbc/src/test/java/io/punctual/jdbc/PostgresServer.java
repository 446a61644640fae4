package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.harness.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A PostgreSQL server of a test, in a new folder and on a free port. */
final class PostgresServer implements TestServer {
  private static final String USER = "postgres";

  /** The user of the system that runs the server for root. */
  private static final String NOBODY = "nobody";

  private static final int SECONDS = 60;

  private final int port = FreePorts.next();
  private final Path folder;
  private final Path programs;
  private Process process;

  private PostgresServer(Path programs) throws IOException {
    this.programs = programs;
    folder = Files.createTempDirectory("punctual-postgres");
    giveAway(folder);
    initialise();
    launch();
  }

  /** Starts a server, or skips the test if there is no PostgreSQL for this system. */
  static PostgresServer start() {
    Optional<Path> found = PostgresPrograms.folder();
    assumeTrue(found.isPresent(), "Name the programs of PostgreSQL by -Dpunctual.postgres.bin");
    try {
      return new PostgresServer(found.orElseThrow());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Makes the user of the servers the owner of a folder. */
  static void giveAway(Path folder) throws IOException {
    if (isRoot()) {
      UserPrincipal user =
          folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY);
      Files.setOwner(folder, user);
    }
  }

  /** PostgreSQL and PgBouncer refuse to run as root. */
  static List<String> asNobody() {
    return isRoot()
        ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=nogroup", "--clear-groups")
        : List.of();
  }

  private ProcessBuilder command(String program, String... arguments) {
    List<String> command = new ArrayList<>(asNobody());
    command.add(programs.resolve(program).toString());
    command.addAll(List.of("-D", folder.resolve("data").toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(program + ".log").toFile());
  }

  private void initialise() throws IOException {
    Process init = command("initdb", "-U", USER, "--auth=trust", "--no-sync").start();
    if (!ended(init) || init.exitValue() != 0) {
      throw new IOException(Files.readString(folder.resolve("initdb.log")));
    }
  }

  private static boolean ended(Process process) {
    try {
      return process.waitFor(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Starts the server's process, also again after {@link #kill}. */
  @Override
  public void launch() throws IOException {
    process =
        command(
                "postgres",
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "max_prepared_transactions=10")
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        throw new IOException(Files.readString(folder.resolve("postgres.log")));
      }
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl())) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl(port);
  }

  /** The URL of this server through a proxy. */
  static String jdbcUrl(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + USER;
  }

  @Override
  public void awaitRefusedLock() {
    String waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    await().until(() -> query(waiting) > 0);
    await().until(() -> query(waiting) == 0);
  }

  private static ConditionFactory await() {
    return Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(30));
  }

  /** Kills the server without a chance to write anything. */
  @Override
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    ended(process);
  }

  @Override
  public void close() {
    kill();
    PostgresPrograms.delete(folder);
  }
}
