package io.punctual.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL or MariaDB server of a test, with its files in a new folder. */
final class DatabaseProcess implements AutoCloseable {
  private static final String POSTGRESQL = "/postgres-linux-x86_64.txz";
  private static final Path MARIADB = Path.of("/usr/sbin/mariadbd");
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final long SECONDS = 60;

  private final int port = FreePorts.next();
  private final Path folder;
  private final String url;
  private final Process process;

  private DatabaseProcess(boolean postgres) throws IOException {
    folder = Files.createTempDirectory("punctual-database");
    List<String> command = postgres ? preparePostgres() : prepareMariaDb();
    url =
        postgres
            ? "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres"
            : "jdbc:mariadb://127.0.0.1:" + port + "/mysql?user=root";
    process = start(command, "server.log");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        close();
        throw new IOException("The server did not start: " + command);
      }
    }
  }

  /**
   * Starts the PostgreSQL server that a test dependency contains. Skips the test on systems other
   * than Linux on x86-64, because the server does not run there.
   */
  static DatabaseProcess postgres() throws IOException {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "The PostgreSQL server of the tests is for Linux on x86-64");
    return new DatabaseProcess(true);
  }

  /** Starts MariaDB, or skips the test if it is not installed. */
  static DatabaseProcess mariaDb() throws IOException {
    assumeTrue(Files.isExecutable(MARIADB), "No mariadbd: apt-get install mariadb-server");
    return new DatabaseProcess(false);
  }

  private List<String> preparePostgres() throws IOException {
    try (InputStream archive = DatabaseProcess.class.getResourceAsStream(POSTGRESQL)) {
      Files.copy(archive, folder.resolve("programs.txz"));
    }
    run(List.of("tar", "-xJf", "programs.txz"));
    // PostgreSQL refuses to run as root.
    List<String> user = new ArrayList<>();
    if (ROOT) {
      user.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
      run(List.of("chown", "nobody", folder.toString()));
    }
    String data = folder.resolve("data").toString();
    run(with(user, program("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"));
    return with(
        user,
        program("postgres"),
        "-D",
        data,
        "-p",
        Integer.toString(port),
        "-k",
        "",
        "-c",
        "listen_addresses=127.0.0.1");
  }

  private String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  private List<String> prepareMariaDb() throws IOException {
    List<String> options = new ArrayList<>(List.of("--no-defaults"));
    options.add("--datadir=" + folder.resolve("data"));
    if (ROOT) {
      options.add("--user=root");
    }
    List<String> install = with(List.of("mariadb-install-db"), options.toArray(String[]::new));
    run(with(install, "--auth-root-authentication-method=normal", "--skip-name-resolve"));
    return with(
        with(List.of(MARIADB.toString()), options.toArray(String[]::new)),
        "--port=" + port,
        "--bind-address=127.0.0.1",
        "--socket=" + folder.resolve("socket"),
        "--pid-file=" + folder.resolve("pid"));
  }

  private static List<String> with(List<String> first, String... more) {
    List<String> command = new ArrayList<>(first);
    command.addAll(List.of(more));
    return command;
  }

  private void run(List<String> command) throws IOException {
    Process prepared = start(command, "prepare.log");
    await(prepared);
    if (prepared.isAlive() || prepared.exitValue() != 0) {
      prepared.destroyForcibly();
      throw new IOException(
          Files.readString(folder.resolve("prepare.log"), StandardCharsets.UTF_8));
    }
  }

  private Process start(List<String> command, String log) throws IOException {
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(log).toFile())
        .start();
  }

  private static void await(Process process) {
    try {
      boolean unused = process.waitFor(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(url)) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** The URL of a database, with the user. */
  String url() {
    return url;
  }

  /** Ends the server, and leaves its files. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    await(process);
  }

  @Override
  public void close() throws IOException {
    kill();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
