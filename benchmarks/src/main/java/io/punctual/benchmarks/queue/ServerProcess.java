package io.punctual.benchmarks.queue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A server process and its child processes, on the loopback interface. The processes end with the
 * benchmark at the latest. Not safe for use by many threads.
 */
final class ServerProcess implements AutoCloseable {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_MILLIS = 20;
  private static final int PATIENCE_SECONDS = 10;
  private static final String RESIDENT = "VmRSS:";

  private final Process process;
  private final Path log;
  private final Thread atExit = new Thread(this::kill);

  /** Checks whether a server is ready. */
  @FunctionalInterface
  interface Probe {
    /** Throws an exception while the server is not ready. */
    void run() throws Exception;
  }

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Starts the server, which writes its output to the file {@code NAME.log} in {@code directory}.
   */
  static ServerProcess start(
      Path directory, String name, Map<String, String> environment, List<String> command) {
    Path log = directory.resolve(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    try {
      return new ServerProcess(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the port accepts connections. */
  ServerProcess awaitPort(int port) {
    return await(() -> new Socket(InetAddress.getLoopbackAddress(), port).close());
  }

  /**
   * Waits until the probe passes. If it does not pass in time, kills the process and throws an
   * exception.
   */
  ServerProcess await(Probe probe) {
    long deadline = System.nanoTime() + START_NANOS;
    while (true) {
      try {
        probe.run();
        return this;
      } catch (Exception e) {
        if (!process.isAlive() || System.nanoTime() - deadline > 0) {
          close();
          throw new IllegalStateException("The server does not start; its log: " + said(), e);
        }
        pause();
      }
    }
  }

  private String said() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "unreadable, " + e;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a server starts", e);
    }
  }

  /** The processor time of all living processes of the server. */
  double cpuSeconds() {
    return family()
        .map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToDouble(time -> time.toNanos() / 1e9)
        .sum();
  }

  /** The resident memory of all processes of the server. */
  double residentBytes() {
    return family().mapToDouble(handle -> resident(handle.pid())).sum();
  }

  private static double resident(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToDouble(line -> 1024 * Double.parseDouble(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException | UncheckedIOException ended) {
      return 0;
    }
  }

  private Stream<ProcessHandle> family() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants());
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    for (ProcessHandle handle : kill()) {
      try {
        ProcessHandle unused = handle.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while a server ends", e);
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException("The server does not end: process " + handle.pid(), e);
      }
    }
  }

  private List<ProcessHandle> kill() {
    List<ProcessHandle> family = family().toList();
    family.forEach(ProcessHandle::destroyForcibly);
    return family;
  }
}
