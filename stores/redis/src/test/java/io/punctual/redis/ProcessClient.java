package io.punctual.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client in a separate process, which can be killed and frozen. */
final class ProcessClient implements FaultClient {
  private static final String READY = "ready";

  private final Path history;
  private final Path log;
  private final Process process;

  ProcessClient(FaultRole role, String url, Path directory) {
    history = directory.resolve(role.name() + ".history");
    log = directory.resolve(role.name() + ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                ProcessClient.class.getName(),
                url,
                history.toString()));
    command.addAll(role.words());
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Plays a role. The arguments are the URL, the history file and the words of the role. */
  public static void main(String[] args) {
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endInOrder(main)));
    FaultRole.of(List.of(args).subList(2, args.length))
        .play(args[0], Path.of(args[1]), () -> System.out.println(READY), id -> {});
  }

  private static void endInOrder(Thread main) {
    main.interrupt();
    try {
      main.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Path history() {
    return history;
  }

  @Override
  public boolean isReady() {
    return read(log).contains(READY);
  }

  /** Returns whether the worker has received a message. */
  boolean hasDeliveries() {
    return read(history).contains("HandedOver");
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the process at once, like {@code kill -9}. */
  void kill() {
    process.destroyForcibly();
  }

  void freeze() {
    signal("-STOP");
  }

  void thaw() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      String pid = Long.toString(process.pid());
      awaitEnd(new ProcessBuilder("kill", signal, pid).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void awaitEnd() {
    awaitEnd(process);
  }

  private static void awaitEnd(Process process) {
    if (!hasEnded(process) || process.exitValue() != 0) {
      throw new AssertionError(process + " does not end, or not well");
    }
  }

  private static boolean hasEnded(Process process) {
    try {
      long patience = FaultPlan.LENGTH.plus(FaultPlan.PATIENCE).toSeconds();
      return process.waitFor(patience, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void end() {
    process.destroy();
    if (!hasEnded(process)) {
      throw new AssertionError(process + " does not end");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
