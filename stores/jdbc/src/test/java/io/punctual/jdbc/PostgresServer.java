package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.FreePorts;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A PostgreSQL server of a test, in a new folder and on a free port. The test classes that run in
 * this JVM can share a server; each class then has a database of its own.
 */
final class PostgresServer implements TestServer {
  /**
   * Counts the connections to the test's database that wait for a lock. Other databases of a shared
   * server do not count.
   */
  static final String LOCK_WAITS =
      "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
          + " WHERE NOT granted AND datname = current_database()";

  private static final String USER = "postgres";

  /** The operating system's user that runs the server if the test runs as root. */
  private static final String NOBODY = "nobody";

  private static final int SECONDS = 60;

  private final int port = FreePorts.next();
  private final Path folder;
  private final Path programs;
  private final List<String> settings;
  private final Map<String, String> environment;
  private Process process;

  /** The server that several test classes share. */
  private static final class Shared {
    /** Commits do not wait for the disk, and deadlocks end soon. */
    private static final PostgresServer SERVER = start("fsync=off", "deadlock_timeout=50ms");

    private static final AtomicInteger DATABASES = new AtomicInteger();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  private PostgresServer(
      Path programs, Path folder, List<String> settings, Map<String, String> environment)
      throws IOException {
    this.programs = programs;
    this.folder = folder;
    this.settings = settings;
    this.environment = environment;
    giveAway(folder);
  }

  /**
   * Returns an empty database on a server that other test classes use, too. Closing the result has
   * no effect.
   */
  static TestServer shared() {
    requirePrograms();
    PostgresServer server = Shared.SERVER;
    String database = "shared" + Shared.DATABASES.incrementAndGet();
    server.execute("CREATE DATABASE " + database);
    return new SharedServer(server, jdbcUrl(server.port, database));
  }

  /**
   * Starts a server with additional settings, or skips the test if {@link PostgresPrograms} has no
   * programs for this system.
   */
  static PostgresServer start(String... settings) {
    Path programs = requirePrograms();
    try {
      return start(programs, Files.createTempDirectory("punctual-postgres"), List.of(settings));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path requirePrograms() {
    Optional<Path> found = PostgresPrograms.folder();
    assumeTrue(found.isPresent(), "Name the programs of PostgreSQL by -Dpunctual.postgres.bin");
    return found.orElseThrow();
  }

  /** Starts a server with its files in an empty folder and with additional settings. */
  static PostgresServer start(Path programs, Path folder, List<String> settings)
      throws IOException {
    return start(programs, folder, settings, Map.of());
  }

  /**
   * Starts a server with its files in an empty folder, with additional settings and environment
   * variables.
   */
  static PostgresServer start(
      Path programs, Path folder, List<String> settings, Map<String, String> environment)
      throws IOException {
    PostgresServer server = new PostgresServer(programs, folder, settings, environment);
    server.initialise();
    server.launch();
    return server;
  }

  /** Starts a streaming replica of a server. Its programs must include pg_basebackup. */
  static PostgresServer replicaOf(PostgresServer primary) throws IOException {
    Path folder = Files.createTempDirectory("punctual-postgres-replica");
    PostgresServer replica =
        new PostgresServer(primary.programs, folder, primary.settings, Map.of());
    replica.run(
        "pg_basebackup",
        "-R",
        "-X",
        "stream",
        "-c",
        "fast",
        "-h",
        "127.0.0.1",
        "-U",
        USER,
        "-p",
        Integer.toString(primary.port));
    replica.launch();
    return replica;
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Changes the owner of a folder to the user that runs the server. */
  static void giveAway(Path folder) throws IOException {
    if (isRoot()) {
      UserPrincipal user =
          folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY);
      Files.setOwner(folder, user);
    }
  }

  /**
   * Returns the start of a command that runs as an unprivileged user if the test runs as root,
   * because PostgreSQL and PgBouncer refuse to run as root.
   */
  static List<String> asNobody() {
    return isRoot()
        ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=nogroup", "--clear-groups")
        : List.of();
  }

  /** Returns whether the user that runs the server can execute a program. */
  static boolean canRun(Path program) {
    List<String> command = new ArrayList<>(asNobody());
    command.addAll(List.of(program.toString(), "--version"));
    try {
      Process running =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return ended(running) && running.exitValue() == 0;
    } catch (IOException cannotStart) {
      return false;
    }
  }

  private ProcessBuilder command(String program, String... arguments) {
    List<String> command = new ArrayList<>(asNobody());
    // The variables must not apply to setpriv, because root would then own the semaphore of
    // faketime.
    command.add("env");
    environment.forEach((name, value) -> command.add(name + "=" + value));
    command.add(programs.resolve(program).toString());
    command.addAll(List.of("-D", folder.resolve("data").toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(program + ".log").toFile());
  }

  private void initialise() throws IOException {
    run("initdb", "-U", USER, "--auth=trust", "--no-sync");
  }

  private void run(String program, String... arguments) throws IOException {
    Process running = command(program, arguments).start();
    if (!ended(running) || running.exitValue() != 0) {
      throw new IOException(Files.readString(folder.resolve(program + ".log")));
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

  /**
   * Starts the server's process, and waits until it accepts connections. May be called again after
   * {@link #kill}.
   */
  @Override
  public void launch() throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-p", Integer.toString(port)));
    Stream.concat(
            Stream.of(
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "max_prepared_transactions=10"),
            settings.stream())
        .forEach(setting -> arguments.addAll(List.of("-c", setting)));
    process = command("postgres", arguments.toArray(String[]::new)).start();
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

  /** The URL of the server on a port, which may be the port of a proxy. */
  static String jdbcUrl(int port) {
    return jdbcUrl(port, "postgres");
  }

  private static String jdbcUrl(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + USER;
  }

  @Override
  public void awaitRefusedLock(TestServer database) {
    await().until(() -> database.query(LOCK_WAITS) > 0);
    await().until(() -> database.query(LOCK_WAITS) == 0);
  }

  private static ConditionFactory await() {
    return Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(30));
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Suspends all processes of the server. Their connections stay open. */
  void freeze() {
    signal("STOP");
  }

  /** Resumes the processes after {@link #freeze}. */
  void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name, "" + process.pid()));
    process.descendants().forEach(child -> command.add("" + child.pid()));
    try {
      ended(new ProcessBuilder(command).redirectErrorStream(true).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills all processes of the server, so that they can write nothing more. */
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
