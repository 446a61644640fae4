package io.punctual.kit.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.kit.process.Command;
import io.punctual.kit.process.Folders;
import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A RabbitMQ broker of a test, on free ports of the loopback interface, with its own directories
 * and its own port mapper (epmd). The system property {@code punctual.rabbitmq.program} names a
 * different {@code rabbitmq-server}, for example of a newer version.
 *
 * <p>Every process ends with {@link #close} or with the JVM. Safe for use by many threads; only one
 * thread at a time starts or ends the broker.
 */
public final class RabbitBroker implements AutoCloseable {
  private static final String SKIPPED =
      "No rabbitmq-server: apt-get install rabbitmq-server, or name it by"
          + " -Dpunctual.rabbitmq.program";
  private static @Nullable RabbitBroker shared;

  private final int port = FreePorts.next();
  private final int distributionPort = FreePorts.next();
  private final int mapperPort = FreePorts.next();
  private final Path program;
  private final Path folder = Folders.create("punctual-rabbitmq");
  private final ServerProcess mapper;
  private final ServerProcess server;

  private RabbitBroker(Path program, String settings) throws IOException {
    this.program = program;
    Files.writeString(folder.resolve("enabled_plugins"), "[].");
    Files.writeString(folder.resolve("rabbitmq.conf"), settings);
    mapper =
        ServerProcess.builder("epmd")
            .environment(environment())
            .command(List.of("epmd", "-address", "127.0.0.1"))
            .ready(() -> ServerProcess.accepts(mapperPort))
            .start();
    try {
      server =
          ServerProcess.builder("rabbitmq")
              .folder(folder)
              .environment(environment())
              .command(List.of(program.toString()))
              .ready(this::answers)
              .start();
    } catch (RuntimeException | Error e) {
      mapper.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** Starts a broker, or skips the test if RabbitMQ is not installed. */
  public static RabbitBroker start() {
    Path program = program();
    if (!Files.isExecutable(program)) {
      throw new TestAbortedException(SKIPPED);
    }
    return start(
        program,
        "loopback_users = none\ndisk_free_limit.absolute = 1MB\nlog.console.level = warning\n");
  }

  /** Starts a program with its own defaults, for measurements. */
  public static RabbitBroker withDefaults(Path program) {
    return start(program, "");
  }

  private static RabbitBroker start(Path program, String settings) {
    try {
      return new RabbitBroker(program, settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a broker for all test classes of this JVM, or skips the test if RabbitMQ is not
   * installed. A caller does not close the broker, and restarts the broker after a {@link #kill}.
   * If the shared broker no longer runs, the method starts a new broker. Each test class uses its
   * own names of exchanges and queues.
   */
  public static synchronized RabbitBroker shared() {
    RabbitBroker found = shared;
    if (found == null || !found.server.isRunning()) {
      found = start();
      shared = found;
    }
    return found;
  }

  private static Path program() {
    // The script in /usr/sbin would change the user; this script runs the broker as the caller.
    return Path.of(
        System.getProperty("punctual.rabbitmq.program", "/usr/lib/rabbitmq/bin/rabbitmq-server"));
  }

  private Map<String, String> environment() {
    return Map.ofEntries(
        Map.entry("HOME", folder.toString()),
        Map.entry("ERL_EPMD_PORT", Integer.toString(mapperPort)),
        Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
        Map.entry("RABBITMQ_NODENAME", "punctual-" + port + "@localhost"),
        Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
        Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port)),
        Map.entry("RABBITMQ_DIST_PORT", Integer.toString(distributionPort)),
        Map.entry("RABBITMQ_BASE", folder.toString()),
        Map.entry("RABBITMQ_MNESIA_BASE", folder.resolve("data").toString()),
        Map.entry("RABBITMQ_LOG_BASE", folder.resolve("logs").toString()),
        Map.entry("RABBITMQ_LOGS", "-"),
        Map.entry("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq.conf").toString()),
        Map.entry("RABBITMQ_CONF_ENV_FILE", folder.resolve("none").toString()),
        Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("enabled_plugins").toString()),
        Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString()));
  }

  /** Starts the broker again after {@link #kill}, with its data; returns when it answers. */
  public void restart() {
    server.restart();
  }

  private boolean answers() throws IOException, TimeoutException {
    ConnectionFactory factory = connections();
    factory.setAutomaticRecoveryEnabled(false);
    try (Connection connection = factory.newConnection("ready?")) {
      return connection.isOpen();
    }
  }

  /** Returns the broker's port for AMQP. */
  public int port() {
    return port;
  }

  /** Returns the broker's URL: {@code amqp://guest:guest@127.0.0.1:port}. */
  public String url() {
    return "amqp://guest:guest@127.0.0.1:" + port;
  }

  /** Returns a new factory of connections to the broker. */
  public ConnectionFactory connections() {
    return connections(port);
  }

  /** Returns a new factory of connections to this port, for example of a proxy. */
  public static ConnectionFactory connections(int port) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    return factory;
  }

  /** Ends the broker at once, like {@code kill -9}. Its data stays. */
  public void kill() {
    server.kill();
  }

  /** Returns the processor time of all living processes of the broker. */
  public Duration cpuTime() {
    return server.cpuTime();
  }

  /** Returns the resident memory of all processes of the broker. */
  public long residentBytes() {
    return server.residentBytes();
  }

  /**
   * Writes the declared queues, exchanges and bindings to disk, and RabbitMQ's list of the quorum
   * queues. RabbitMQ 3 itself writes them only seconds or minutes after it has confirmed the
   * declarations, so a {@link #kill} before that would lose them.
   */
  public void syncDeclarations() {
    control("eval", "mnesia:sync_log(), [dets:sync(T) || T <- dets:all()].");
  }

  /** Raises the memory alarm: the broker blocks all connections that publish. */
  public void raiseMemoryAlarm() {
    control("set_vm_memory_high_watermark", "absolute", "1");
  }

  /** Clears the memory alarm. */
  public void clearMemoryAlarm() {
    control("set_vm_memory_high_watermark", "0.6");
  }

  /** Runs {@code rabbitmqctl} with these arguments, and returns its output. */
  public String control(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program.resolveSibling("rabbitmqctl").toString());
    command.addAll(List.of(arguments));
    return Command.of(command).directory(folder).environment(environment()).run();
  }

  /** Ends the broker, and deletes its data. Idempotent. */
  @Override
  public void close() {
    server.close();
    mapper.close();
  }
}
