package io.punctual.kit.database;

import io.punctual.kit.process.Command;
import io.punctual.kit.process.Folders;
import io.punctual.kit.process.Nobody;
import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.process.Waiting;
import io.punctual.kit.redis.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A PostgreSQL server of a test. The test classes that run in this JVM can share a server; each
 * class then has a database of its own.
 */
public final class PostgresServer implements TestServer {
  /**
   * Counts the connections to the test's database that wait for a lock. Other databases of a shared
   * server do not count.
   */
  public static final String LOCK_WAITS =
      "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
          + " WHERE NOT granted AND datname = current_database()";

  private static final String USER = "postgres";

  private final int port = FreePorts.next();
  private final Path programs;
  private final List<String> settings;
  private final Path folder;
  private final ServerProcess server;

  /** The server that several test classes share. */
  private static final class Shared {
    /** Commits do not wait for the disk, and deadlocks end soon. */
    private static final PostgresServer SERVER = start("fsync=off", "deadlock_timeout=50ms");

    private static final AtomicInteger DATABASES = new AtomicInteger();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  private PostgresServer(Builder builder, @Nullable PostgresServer primary) {
    programs = builder.programs;
    settings = List.copyOf(builder.settings);
    folder = builder.folder == null ? Folders.create("punctual-postgres") : builder.folder;
    Nobody.own(folder);
    if (primary == null) {
      run("initdb", List.of("-U", USER, "--auth=trust", "--no-sync"));
    } else {
      copy(primary);
    }
    server =
        ServerProcess.builder("postgres")
            .folder(folder)
            .environment(builder.environment)
            .asNobody()
            .command(words("postgres", arguments()))
            .ready(() -> Connections.canOpen(jdbcUrl()))
            .start();
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("-p", Integer.toString(port)));
    List<String> all =
        new ArrayList<>(List.of("listen_addresses=127.0.0.1", "unix_socket_directories="));
    all.addAll(settings);
    all.forEach(setting -> arguments.addAll(List.of("-c", setting)));
    return arguments;
  }

  private void copy(PostgresServer primary) {
    List<String> from = List.of("-h", "127.0.0.1", "-U", USER, "-p", "" + primary.port);
    List<String> arguments = new ArrayList<>(List.of("-R", "-X", "stream", "-c", "fast"));
    arguments.addAll(from);
    run("pg_basebackup", arguments);
  }

  private void run(String program, List<String> arguments) {
    Command.of(Nobody.command(words(program, arguments))).directory(folder).run();
  }

  private List<String> words(String program, List<String> arguments) {
    List<String> words = new ArrayList<>(List.of(programs.resolve(program).toString()));
    words.addAll(List.of("-D", folder.resolve("data").toString()));
    words.addAll(arguments);
    return words;
  }

  /**
   * Returns an empty database on a server that other test classes use, too. Closing the result has
   * no effect. Skips the test like {@link #start}.
   */
  public static TestServer shared() {
    Path unused = requirePrograms();
    PostgresServer server = Shared.SERVER;
    String database = "shared" + Shared.DATABASES.incrementAndGet();
    server.execute("CREATE DATABASE " + database);
    return new SharedServer(server, jdbcUrl(server.port, database));
  }

  /**
   * Starts a server with additional settings, or skips the test if {@link PostgresPrograms} has no
   * programs for this system.
   */
  public static PostgresServer start(String... settings) {
    return builder(requirePrograms())
        .setting("max_prepared_transactions=10")
        .settings(List.of(settings))
        .start();
  }

  private static Path requirePrograms() {
    return PostgresPrograms.folder()
        .orElseThrow(
            () ->
                new TestAbortedException(
                    "Name the programs of PostgreSQL by -Dpunctual.postgres.bin"));
  }

  /** Returns a builder of a server with the settings of PostgreSQL. */
  public static Builder builder(Path programs) {
    return new Builder(programs);
  }

  /** Starts a streaming replica of a server. Its programs must include pg_basebackup. */
  public static PostgresServer replicaOf(PostgresServer primary) {
    return new PostgresServer(builder(primary.programs).settings(primary.settings), primary);
  }

  /** Returns the port. */
  public int port() {
    return port;
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl(port);
  }

  /** The URL of the server on a port, which may be the port of a proxy. */
  public static String jdbcUrl(int port) {
    return jdbcUrl(port, "postgres");
  }

  private static String jdbcUrl(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + USER;
  }

  @Override
  public void awaitRefusedLock(TestServer database) {
    Waiting.until("a wait for a lock", () -> database.query(LOCK_WAITS) > 0);
    Waiting.until("no wait for a lock", () -> database.query(LOCK_WAITS) == 0);
  }

  /** Returns whether the server runs. */
  public boolean isRunning() {
    return server.isRunning();
  }

  /** Suspends all processes of the server. Their connections stay open. */
  public void freeze() {
    server.freeze();
  }

  /** Resumes the processes after {@link #freeze}. */
  public void thaw() {
    server.thaw();
  }

  /** Returns the processor time of all living processes of the server. */
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

  /** Builds and starts a server. Not safe for use by many threads. */
  public static final class Builder {
    private final Path programs;
    private final List<String> settings = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable Path folder;

    private Builder(Path programs) {
      this.programs = programs;
    }

    /** Adds a setting of the form {@code name=value}. */
    public Builder setting(String setting) {
      return settings(List.of(setting));
    }

    /** Adds settings of the form {@code name=value}. */
    public Builder settings(List<String> more) {
      settings.addAll(more);
      return this;
    }

    /** Adds environment variables of the server. */
    public Builder environment(Map<String, String> variables) {
      environment.putAll(variables);
      return this;
    }

    /** Sets an existing folder for the files of the server, which it deletes when it closes. */
    public Builder folder(Path folder) {
      this.folder = folder;
      return this;
    }

    /** Starts the server, and returns when it answers. */
    public PostgresServer start() {
      return new PostgresServer(this, null);
    }
  }
}
