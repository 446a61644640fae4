package io.punctual.rabbitmq;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

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
  private static final int SECONDS = 120;

  private static RabbitBroker shared;

  private final int port = FreePorts.next();
  private final int distributionPort = FreePorts.next();
  private final int mapperPort = FreePorts.next();
  private final Path program;
  private final Path folder;
  private final Process mapper;
  private Process server;

  private RabbitBroker(Path program) throws IOException {
    this.program = program;
    folder = Files.createTempDirectory("punctual-rabbitmq");
    Files.writeString(folder.resolve("enabled_plugins"), "[].");
    Files.writeString(
        folder.resolve("rabbitmq.conf"),
        "loopback_users = none\ndisk_free_limit.absolute = 1MB\nlog.console.level = warning\n");
    mapper = launch("epmd.log", List.of("epmd", "-address", "127.0.0.1"));
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    start0();
  }

  /** Starts a broker, or skips the test if RabbitMQ is not installed. */
  public static RabbitBroker start() {
    Path program = program();
    assumeTrue(Files.isExecutable(program), SKIPPED);
    try {
      return new RabbitBroker(program);
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
    if (shared == null || !shared.server.isAlive()) {
      shared = start();
    }
    return shared;
  }

  private static Path program() {
    // The script in /usr/sbin would change the user; this script runs the broker as the caller.
    return Path.of(
        System.getProperty("punctual.rabbitmq.program", "/usr/lib/rabbitmq/bin/rabbitmq-server"));
  }

  private Process launch(String log, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve(log).toFile()));
    builder
        .environment()
        .putAll(
            Map.ofEntries(
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
                Map.entry(
                    "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("enabled_plugins").toString()),
                Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString())));
    return builder.start();
  }

  /** Starts the broker again after {@link #kill}, with its data; returns when it answers. */
  public synchronized void restart() {
    if (server.isAlive()) {
      throw new IllegalStateException("The broker is running");
    }
    try {
      start0();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void start0() throws IOException {
    server = launch("server.log", List.of(program.toString()));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!answers()) {
      if (!server.isAlive() || System.nanoTime() - end > 0) {
        String output = Files.readString(folder.resolve("server.log"));
        close();
        throw new IOException("The broker does not start: " + output);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private boolean answers() {
    ConnectionFactory factory = connections();
    factory.setAutomaticRecoveryEnabled(false);
    try (Connection connection = factory.newConnection("ready?")) {
      return connection.isOpen();
    } catch (IOException | TimeoutException notYet) {
      return false;
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
  public synchronized void kill() {
    List<ProcessHandle> processes = new ArrayList<>(server.descendants().toList());
    processes.add(server.toHandle());
    processes.forEach(ProcessHandle::destroyForcibly);
    processes.forEach(RabbitBroker::await);
  }

  private static void await(ProcessHandle process) {
    try {
      process.onExit().get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Process " + process.pid() + " does not end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
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
    Path output = folder.resolve("control-" + System.nanoTime() + ".log");
    try {
      Process process = launch(output.getFileName().toString(), command);
      boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
      String text = Files.readString(output);
      if (!ended || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " failed: " + text);
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /** Ends the broker, and deletes its data. Idempotent. */
  @Override
  public synchronized void close() {
    if (server != null) {
      kill();
    }
    mapper.destroyForcibly();
    await(mapper.toHandle());
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
