package io.punctual.kit.database;

import io.punctual.kit.process.Command;
import io.punctual.kit.process.Folders;
import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.process.Waiting;
import io.punctual.kit.redis.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.opentest4j.TestAbortedException;

/**
 * A MariaDB or MySQL server of a test, in a new folder and on a free port. The test classes that
 * run in this JVM can share a server; each class then has a database of its own.
 */
public final class MariaDbServer implements TestServer {
  /**
   * The size of the redo log. A log of the default size would take longer to create than the server
   * takes to start.
   */
  private static final String SMALL_LOG = "--innodb-log-file-size=16M";

  /** The shared servers, each with its options. */
  private static final Map<List<String>, MariaDbServer> SHARED = new ConcurrentHashMap<>();

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final int port = FreePorts.next();
  private final Path folder = Folders.create("punctual-mariadb");
  private final Path program;
  private final boolean mariaDb;
  private final ServerProcess server;

  private MariaDbServer(Path program, boolean smallLog, List<String> options) {
    this.program = program;
    mariaDb = isMariaDb(program);
    List<String> log = smallLog && mariaDb ? List.of(SMALL_LOG) : List.of();
    initialise(log);
    List<String> command =
        command(
            program.toString(),
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + folder.resolve("socket"),
            "--pid-file=" + folder.resolve("pid"));
    command.addAll(options);
    command.addAll(log);
    server =
        ServerProcess.builder("mariadb")
            .folder(folder)
            .command(command)
            .ready(() -> Connections.canOpen(jdbcUrl() + "&createDatabaseIfNotExist=true"))
            .start();
  }

  private void initialise(List<String> log) {
    List<String> command =
        mariaDb
            ? command(
                "mariadb-install-db",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve")
            : command(program.toString(), "--initialize-insecure");
    command.addAll(log);
    Command.of(command).directory(folder).run();
  }

  private List<String> command(String first, String... arguments) {
    List<String> command = new ArrayList<>(List.of(first, "--no-defaults"));
    command.add("--datadir=" + folder.resolve("data"));
    // A server that starts deletes the temporary tables of others in the same folder.
    command.add("--tmpdir=" + folder);
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Returns an empty database on a server with these options that other test classes use, too.
   * Closing the result has no effect.
   */
  public static TestServer shared(String... options) {
    MariaDbServer server = SHARED.computeIfAbsent(List.of(options), MariaDbServer::startShared);
    String database = "shared" + DATABASES.incrementAndGet();
    server.execute("CREATE DATABASE " + database);
    return new SharedServer(server, server.jdbcUrl(database));
  }

  private static MariaDbServer startShared(List<String> options) {
    List<String> all = new ArrayList<>(options);
    // Commits do not wait for the disk, which can be slow.
    all.add("--innodb-flush-log-at-trx-commit=2");
    MariaDbServer server = start(all.toArray(String[]::new));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    return server;
  }

  /** Starts MariaDB with additional options, or skips the test if MariaDB is not installed. */
  public static MariaDbServer start(String... options) {
    Path program =
        program("punctual.mariadb.program", true, "/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd")
            .orElseThrow(
                () ->
                    new TestAbortedException(
                        "No mariadbd: apt-get install mariadb-server, or name it by"
                            + " -Dpunctual.mariadb.program"));
    return new MariaDbServer(program, true, List.of(options));
  }

  /** Starts MySQL, or skips the test if MySQL is not installed. */
  public static MariaDbServer startMySql() {
    Path program =
        program("punctual.mysql.program", false, "/usr/sbin/mysqld", "/usr/local/mysql/bin/mysqld")
            .orElseThrow(
                () ->
                    new TestAbortedException(
                        "No mysqld of MySQL: name it by -Dpunctual.mysql.program"));
    return new MariaDbServer(program, true, List.of());
  }

  /** Starts a program with its own defaults, for measurements. */
  public static MariaDbServer withDefaults(Path program) {
    return new MariaDbServer(program, false, List.of());
  }

  /**
   * Returns the program that the property names, or else finds an executable program of MariaDB or
   * MySQL. Asks the found program for its version, because on some systems the program of MariaDB
   * has the name of the program of MySQL.
   */
  private static Optional<Path> program(String property, boolean mariaDb, String... places) {
    String given = System.getProperty(property, "");
    if (!given.isEmpty()) {
      return Optional.of(Path.of(given));
    }
    for (String place : places) {
      Path program = Path.of(place);
      if (Files.isExecutable(program) && isMariaDb(program) == mariaDb) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  private static boolean isMariaDb(Path program) {
    return Command.of(program.toString(), "--no-defaults", "--version").run().contains("MariaDB");
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl("shop");
  }

  private String jdbcUrl(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root";
  }

  /** The URL for the driver of MySQL. It disables TLS, because the server has no certificate. */
  public String mySqlUrl() {
    return "jdbc:mysql://127.0.0.1:" + port + "/shop?user=root&sslMode=DISABLED";
  }

  /**
   * Waits for the rollback of a part of a split call. On MariaDB, the calls of the store do not
   * wait for locks, so waits can't be observed.
   */
  @Override
  public void awaitRefusedLock(TestServer database) throws SQLException {
    long before = rollbacksToSavepoints();
    Waiting.until("a rollback to a savepoint", () -> rollbacksToSavepoints() > before);
  }

  private long rollbacksToSavepoints() throws SQLException {
    return query(
        "SELECT variable_value FROM information_schema.global_status"
            + " WHERE variable_name = 'COM_ROLLBACK_TO_SAVEPOINT'");
  }

  /** Returns the processor time of the server. */
  public Duration cpuTime() {
    return server.cpuTime();
  }

  @Override
  public void launch() {
    server.restart();
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void close() {
    server.close();
  }
}
