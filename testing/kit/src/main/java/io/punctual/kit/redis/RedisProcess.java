package io.punctual.kit.redis;

import io.punctual.kit.process.Folders;
import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.process.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Redis or Valkey server on a free port of the loopback interface, with its own directory, which
 * {@link #close} deletes.
 *
 * <pre>{@code
 * try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start()) {
 *   Punctual punctual = Punctual.open(redis.url());
 *   redis.kill();
 *   redis.restart();
 * }
 * }</pre>
 *
 * <p>By default the server persists no data and evicts nothing. {@linkplain io.punctual.kit.redis
 * The package} says which program runs; the system property {@code punctual.redis.program} sets a
 * different program. A server that a test does not close ends with the Java process.
 *
 * <p>Safe for use by many threads, one change at a time.
 */
public final class RedisProcess implements AutoCloseable {
  private static final int ATTEMPTS = 5;

  private final Map<String, String> config;
  private final Map<String, String> environment;
  private final @Nullable Path program;
  private final boolean sentinel;
  private final boolean anyPort;
  private volatile Path directory;
  private int port;
  private @Nullable ServerProcess server;

  private RedisProcess(Builder builder) {
    config = new LinkedHashMap<>(builder.config);
    environment = Map.copyOf(builder.environment);
    program = builder.program;
    sentinel = builder.sentinel;
    anyPort = builder.port == 0;
    port = builder.port;
    directory = Folders.create("redis");
  }

  /** Starts a server with the default configuration. */
  public static RedisProcess start() {
    return builder().start();
  }

  /**
   * Returns a server with the default configuration for all test classes of this JVM, which ends
   * with the JVM. A caller neither closes nor kills it, and uses names of its own.
   */
  public static RedisProcess shared() {
    return Shared.SERVER;
  }

  private static final class Shared {
    private static final RedisProcess SERVER = start();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the port. */
  public synchronized int port() {
    return port;
  }

  /** Returns the URL of a store on this server: {@code redis://127.0.0.1:port}. */
  public String url() {
    return "redis://127.0.0.1:" + port();
  }

  /** Returns the directory with the files of the server. */
  public Path directory() {
    return directory;
  }

  /** Returns the path of the server's Unix socket. */
  public Path socket() {
    return directory.resolve("socket");
  }

  /** Returns whether the process of the server runs. */
  public synchronized boolean isRunning() {
    return server != null && server.isRunning();
  }

  /** Returns the process id. */
  public synchronized long pid() {
    return server().pid();
  }

  private ServerProcess server() {
    if (server == null) {
      throw new IllegalStateException("The server is not running");
    }
    return server;
  }

  /** Ends the process at once, like {@code kill -9}: the server writes no pending data. */
  public synchronized void kill() {
    server().kill();
  }

  /** Shuts the server down. If it persists data, it writes its pending data before it ends. */
  public synchronized void stop() {
    server().stop();
  }

  /**
   * Starts the server again, on the same port and with its data on disk. Returns when the server
   * answers.
   */
  public synchronized void restart() {
    server().restart();
  }

  /** Freezes the process: its connections stay open, and it answers no calls. */
  public synchronized void freeze() {
    server().freeze();
  }

  /** Lets a frozen process continue. */
  public synchronized void thaw() {
    server().thaw();
  }

  /**
   * Sends a command with its arguments to the server over a new connection.
   *
   * @return the reply: String, Long, null, or a List of them
   * @throws IllegalStateException if the reply is an error; the message is the server's
   */
  public @Nullable Object ask(String... command) {
    try (RedisConsole console = new RedisConsole(port())) {
      return console.ask(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a command like {@link #ask}, after authentication with this password. */
  public @Nullable Object askAs(String password, String... command) {
    try (RedisConsole console = new RedisConsole(port())) {
      console.ask("AUTH", password);
      return console.ask(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the process and deletes its directory. A second call does nothing. */
  @Override
  public synchronized void close() {
    if (server != null) {
      server.close();
    }
    Folders.delete(directory);
  }

  private boolean isInStep() {
    return String.valueOf(ask("INFO", "replication")).contains("master_link_status:up");
  }

  private synchronized RedisProcess launched() {
    for (int attempt = 1; ; attempt++) {
      try {
        port = anyPort ? FreePorts.next() : port;
        server = launch();
        return this;
      } catch (IllegalStateException e) {
        // Another process may have taken the port meanwhile.
        if (!anyPort || attempt == ATTEMPTS) {
          throw e;
        }
        directory = Folders.create("redis");
      }
    }
  }

  /**
   * Returns the configuration file of a Sentinel, which the Sentinel updates with the servers that
   * it finds.
   */
  private Path sentinelFile() {
    Path file = directory.resolve("sentinel.conf");
    try {
      if (!Files.exists(file)) {
        Files.createFile(file);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ServerProcess launch() {
    List<String> command = new ArrayList<>();
    command.add((program == null ? RedisProgram.find() : program).toString());
    if (sentinel) {
      command.addAll(List.of(sentinelFile().toString(), "--sentinel"));
    }
    config.forEach(
        (name, value) -> {
          command.add("--" + name);
          command.addAll(List.of(value.split(" ", -1)));
        });
    command.addAll(List.of("--port", Integer.toString(port), "--unixsocket", socket().toString()));
    return ServerProcess.builder("redis")
        .folder(directory)
        .environment(environment)
        .command(command)
        .ready(this::answers)
        .start();
  }

  private boolean answers() {
    try (RedisConsole console = new RedisConsole(port)) {
      console.ask("PING");
      return true;
    } catch (IOException notYet) {
      return false;
    } catch (IllegalStateException error) {
      // A server that requires a password is ready; a server that still loads its data is not.
      return !String.valueOf(error.getMessage()).startsWith("LOADING");
    }
  }

  /** Builds and starts a server. Not safe for use by many threads. */
  public static final class Builder {
    private final Map<String, String> config = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable Path program;
    private boolean sentinel;
    private boolean replica;
    private int port;

    private Builder() {
      config("bind", "127.0.0.1").config("save", "").config("appendonly", "no");
      config("maxmemory-policy", "noeviction");
      // With diskless replication, the primary waits before it sends its data. For up to a second,
      // the replica then reports that it is in sync although it lacks new writes.
      config("repl-diskless-sync", "no");
    }

    /** Sets a line of the server's configuration. Words are separated by single spaces. */
    public Builder config(String name, String value) {
      config.put(name, value);
      return this;
    }

    /**
     * Writes every change to the append-only file; {@code fsync} is {@code always}, {@code
     * everysec} or {@code no}.
     */
    public Builder appendOnly(String fsync) {
      return config("appendonly", "yes").config("appendfsync", fsync);
    }

    /**
     * Makes the server a replica. {@link #start} then returns when the replica has the data of its
     * primary.
     */
    public Builder replicaOf(RedisProcess primary) {
      replica = true;
      return config("replicaof", "127.0.0.1 " + primary.port());
    }

    /** Makes the server a Sentinel that does not watch a primary yet. */
    public Builder sentinel() {
      sentinel = true;
      return this;
    }

    /** Sets an environment variable of the server's process. */
    public Builder environment(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /** Uses this server program. */
    public Builder program(Path program) {
      this.program = program;
      return this;
    }

    /**
     * Prefers {@code redis-server} or {@code valkey-server} from the path to the embedded program.
     * Benchmarks do so, because users run such programs. The embedded program is linked with the
     * allocator of musl, which slows scripts down.
     */
    public Builder installed() {
      return program(RedisProgram.findInstalled());
    }

    /** Uses this port instead of a free port. The start then does not try other ports. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /**
     * Starts the server, and returns when it answers; a replica then has the data of its primary.
     *
     * @throws IllegalStateException if the server does not start; the message has its log
     */
    public RedisProcess start() {
      RedisProcess started = new RedisProcess(this).launched();
      if (replica) {
        Waiting.until("a replica in step", started::isInStep);
      }
      return started;
    }
  }
}
