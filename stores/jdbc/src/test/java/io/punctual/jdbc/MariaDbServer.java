package io.punctual.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * A MariaDB or MySQL server of a test, in a new folder and on a free port. The test classes that
 * run in this JVM can share a server; each class then has a database of its own.
 */
final class MariaDbServer implements TestServer {
  private static final int SECONDS = 60;

  /**
   * The size of the redo log. A log of the default size would take longer to create than the server
   * takes to start.
   */
  private static final String LOG_SIZE = "16M";

  /** The shared servers, each with its options. */
  private static final Map<List<String>, MariaDbServer> SHARED = new ConcurrentHashMap<>();

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final int port = FreePorts.next();
  private final Path folder;
  private final Path program;
  private final List<String> options;
  private Process process;

  private MariaDbServer(Path program, List<String> options) throws IOException {
    this.program = program;
    this.options = options;
    folder = Files.createTempDirectory("punctual-mariadb");
    initialise();
    launch();
  }

  /**
   * Returns an empty database on a server with these options that other test classes use, too.
   * Closing the result has no effect.
   */
  static TestServer shared(String... options) {
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
  static MariaDbServer start(String... options) {
    return start(
        program("punctual.mariadb.program", true, "/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd"),
        "No mariadbd: apt-get install mariadb-server, or name it by -Dpunctual.mariadb.program",
        options);
  }

  /** Starts MySQL, or skips the test if MySQL is not installed. */
  static MariaDbServer startMySql() {
    return start(
        program("punctual.mysql.program", false, "/usr/sbin/mysqld", "/usr/local/mysql/bin/mysqld"),
        "No mysqld of MySQL: name it by -Dpunctual.mysql.program");
  }

  private static MariaDbServer start(Optional<Path> program, String skipped, String... options) {
    assumeTrue(program.isPresent(), skipped);
    try {
      return new MariaDbServer(program.orElseThrow(), List.of(options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    try {
      Process version =
          new ProcessBuilder(program.toString(), "--no-defaults", "--version")
              .redirectErrorStream(true)
              .start();
      return new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .contains("MariaDB");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void initialise() throws IOException {
    List<String> command =
        isMariaDb(program)
            ? command(
                "mariadb-install-db",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                "--innodb-log-file-size=" + LOG_SIZE)
            : command(program.toString(), "--initialize-insecure");
    Process init = start(command, "install.log");
    if (!ended(init) || init.exitValue() != 0) {
      init.destroyForcibly();
      throw new IOException(Files.readString(folder.resolve("install.log")));
    }
  }

  private List<String> command(String first, String... arguments) {
    List<String> command = new ArrayList<>(List.of(first, "--no-defaults"));
    command.add("--datadir=" + folder.resolve("data"));
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(List.of(arguments));
    return command;
  }

  private Process start(List<String> command, String log) throws IOException {
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(log).toFile())
        .start();
  }

  private static boolean ended(Process process) {
    try {
      return process.waitFor(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void launch() throws IOException {
    List<String> command =
        command(
            program.toString(),
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + folder.resolve("socket"),
            "--pid-file=" + folder.resolve("pid"));
    command.addAll(options);
    if (isMariaDb(program)) {
      command.add("--innodb-log-file-size=" + LOG_SIZE);
    }
    process = start(command, "server.log");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        kill();
        throw new IOException(Files.readString(folder.resolve("server.log")));
      }
    }
  }

  private boolean answers() {
    try (Connection connection =
        DriverManager.getConnection(jdbcUrl() + "&createDatabaseIfNotExist=true")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl("shop");
  }

  private String jdbcUrl(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root";
  }

  /** The URL for the driver of MySQL. It disables TLS, because the server has no certificate. */
  String mySqlUrl() {
    return "jdbc:mysql://127.0.0.1:" + port + "/shop?user=root&sslMode=DISABLED";
  }

  /**
   * Waits for the rollback of a part of a split call. On MariaDB, the calls of the store do not
   * wait for locks, so waits can't be observed.
   */
  @Override
  public void awaitRefusedLock(TestServer database) throws SQLException {
    long before = rollbacksToSavepoints();
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> rollbacksToSavepoints() > before);
  }

  private long rollbacksToSavepoints() throws SQLException {
    return query(
        "SELECT variable_value FROM information_schema.global_status"
            + " WHERE variable_name = 'COM_ROLLBACK_TO_SAVEPOINT'");
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    ended(process);
  }

  @Override
  public void close() {
    kill();
    PostgresPrograms.delete(folder);
  }
}
