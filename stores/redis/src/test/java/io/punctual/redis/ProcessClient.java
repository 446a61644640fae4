package io.punctual.redis;

import io.punctual.kit.process.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A client in a separate process, which can be killed and frozen. */
final class ProcessClient implements FaultClient {
  private static final String READY = "ready";

  private final Path history;
  private final JavaProcess process;

  ProcessClient(FaultRole role, String url, Path directory) {
    history = directory.resolve(role.name() + ".history");
    process =
        JavaProcess.of(ProcessClient.class)
            .small()
            .arguments(url, history.toString())
            .arguments(role.words())
            .patience(FaultPlan.LENGTH.plus(FaultPlan.PATIENCE))
            .start();
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
    return process.hasLine(READY);
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
    process.kill();
  }

  void freeze() {
    process.freeze();
  }

  void thaw() {
    process.thaw();
  }

  @Override
  public void awaitEnd() {
    process.expectSuccess();
  }

  @Override
  public void end() {
    process.terminate();
    process.awaitExit();
  }

  @Override
  public void close() {
    process.close();
  }
}
