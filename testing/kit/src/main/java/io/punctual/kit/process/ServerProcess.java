package io.punctual.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The process of a server and its child processes, with a folder of their own. All processes end
 * with this JVM. A failure to start contains the output of the server.
 *
 * <p>Safe for use by many threads, one change at a time.
 */
public final class ServerProcess implements AutoCloseable {
  private static final String RESIDENT = "VmRSS:";

  private final String name;
  private final Path folder;
  private final List<String> command;
  private final Map<String, String> environment;
  private final boolean nobody;
  private final Waiting.Condition ready;
  private @Nullable Process process;

  private ServerProcess(Builder builder) {
    name = builder.name;
    folder = builder.folder == null ? Folders.create("punctual-" + name) : builder.folder;
    command = builder.command;
    environment = Map.copyOf(builder.environment);
    nobody = builder.nobody;
    ready = builder.ready;
  }

  /**
   * Returns a builder.
   *
   * @param name the name of the server in messages, and of its log in its folder
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Returns whether a port of the loopback interface accepts connections. */
  public static boolean accepts(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }

  /** Returns the folder of the server. */
  public Path folder() {
    return folder;
  }

  private Path logFile() {
    return folder.resolve(name + ".log");
  }

  /** Returns the output of the server so far. */
  public String log() {
    try {
      return Files.readString(logFile(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }

  /** Returns whether the server runs. */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Returns the process id. */
  public synchronized long pid() {
    return running().pid();
  }

  private Process running() {
    if (process == null) {
      throw new IllegalStateException("The server " + name + " is not running");
    }
    return process;
  }

  /** The server, and then its child processes. */
  private List<ProcessHandle> family() {
    return Stream.concat(Stream.of(running().toHandle()), running().descendants()).toList();
  }

  /**
   * Starts the server again after its end, with the data in its folder. Returns when the server is
   * ready.
   *
   * @throws IllegalStateException if the server runs, or if it does not become ready; the message
   *     then contains its output
   */
  public synchronized void restart() {
    if (isRunning()) {
      throw new IllegalStateException("The server " + name + " is running");
    }
    Process started = Processes.start(processBuilder());
    process = started;
    if (!Waiting.await(ready, started::isAlive, Processes.PATIENCE)) {
      kill();
      throw new IllegalStateException("The server " + name + " does not start: " + log());
    }
  }

  private ProcessBuilder processBuilder() {
    ProcessBuilder builder =
        nobody
            ? new ProcessBuilder(Nobody.command(command, environment))
            : new ProcessBuilder(command);
    if (!nobody) {
      builder.environment().putAll(environment);
    }
    return builder
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(Redirect.appendTo(logFile().toFile()));
  }

  /** Ends all processes of the server at once, like {@code kill -9}. */
  public synchronized void kill() {
    Processes.kill(family());
    process = null;
  }

  /** Shuts the server down, like {@code kill}. Returns when it has ended. */
  public synchronized void stop() {
    running().destroy();
    Processes.awaitEnd(running().toHandle());
    process = null;
  }

  /** Freezes all processes of the server: their connections stay open. */
  public void freeze() {
    signal("STOP");
  }

  /** Lets frozen processes continue. */
  public void thaw() {
    signal("CONT");
  }

  private synchronized void signal(String signal) {
    Processes.signal(signal, running().toHandle());
    running().descendants().forEach(child -> Processes.signalIfAlive(signal, child));
  }

  /** Returns the processor time of all living processes of the server. */
  public synchronized Duration cpuTime() {
    return family().stream()
        .map(one -> one.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Returns the resident memory of all processes of the server. */
  public synchronized long residentBytes() {
    return family().stream().mapToLong(one -> residentBytes(one.pid())).sum();
  }

  private static long residentBytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException | UncheckedIOException ended) {
      return 0;
    }
  }

  /** Kills the server if it runs, and deletes its folder. A second call does nothing. */
  @Override
  public synchronized void close() {
    if (process != null) {
      kill();
    }
    Folders.delete(folder);
  }

  /** Builds and starts a server. Not safe for use by many threads. */
  public static final class Builder {
    private final String name;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private List<String> command = List.of();
    private Waiting.Condition ready = () -> true;
    private boolean nobody;
    private @Nullable Path folder;

    private Builder(String name) {
      this.name = name;
    }

    /** Sets the program and its arguments. */
    public Builder command(List<String> words) {
      command = List.copyOf(words);
      return this;
    }

    /** Sets an existing folder, which {@link ServerProcess#close} deletes. */
    public Builder folder(Path folder) {
      this.folder = folder;
      return this;
    }

    /** Adds environment variables. */
    public Builder environment(Map<String, String> variables) {
      environment.putAll(variables);
      return this;
    }

    /** Runs the server as an unprivileged user if the tests run as root. */
    public Builder asNobody() {
      nobody = true;
      return this;
    }

    /** Sets the condition for which starts wait. */
    public Builder ready(Waiting.Condition ready) {
      this.ready = ready;
      return this;
    }

    /** Starts the server, and returns when it is ready. */
    public ServerProcess start() {
      ServerProcess server = new ServerProcess(this);
      try {
        if (nobody) {
          Nobody.own(server.folder);
        }
        server.restart();
        return server;
      } catch (RuntimeException | Error e) {
        server.close();
        throw e;
      }
    }
  }
}
