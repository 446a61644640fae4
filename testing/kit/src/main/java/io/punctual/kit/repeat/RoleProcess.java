package io.punctual.kit.repeat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that plays a {@link RepeatRole}. For a single thread. */
final class RoleProcess {
  private static final long PATIENCE_SECONDS = 90;

  private final RepeatRole role;
  private final Path history;
  private final Path log;
  private final Process process;

  RoleProcess(RepeatRole role, String url, Path directory) {
    this.role = role;
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
                RepeatRole.class.getName(),
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

  RepeatRole role() {
    return role;
  }

  Path history() {
    return history;
  }

  /** Returns whether the process has reached the store. Fails if it has ended. */
  boolean isReady() {
    if (!process.isAlive()) {
      throw new AssertionError(role.name() + " ended by itself: " + read(log));
    }
    return read(log).contains(RepeatRole.READY);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the process at once, like {@code kill -9}. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Ends the process by a regular shutdown: it settles its messages and closes its history. */
  void end() {
    isReady();
    process.destroy();
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(role.name() + " does not end: " + read(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Kills the process without waiting for its end. */
  void close() {
    process.destroyForcibly();
  }
}
