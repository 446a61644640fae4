package io.punctual.kit.repeat;

import io.punctual.kit.process.JavaProcess;
import java.nio.file.Path;

/** A process that plays a {@link RepeatRole}. For a single thread. */
final class RoleProcess {
  private final RepeatRole role;
  private final Path history;
  private final JavaProcess process;

  RoleProcess(RepeatRole role, String url, Path directory) {
    this.role = role;
    history = directory.resolve(role.name() + ".history");
    process =
        JavaProcess.of(RepeatRole.class)
            .small()
            .arguments(url, history.toString())
            .arguments(role.words())
            .start();
  }

  RepeatRole role() {
    return role;
  }

  Path history() {
    return history;
  }

  /** Returns whether the process has reached the store. Fails if it has ended. */
  boolean isReady() {
    process.expectAlive();
    return process.hasLine(RepeatRole.READY);
  }

  /** Kills the process at once, like {@code kill -9}. */
  void kill() {
    process.kill();
  }

  /** Ends the process by a regular shutdown: it settles its messages and closes its history. */
  void end() {
    process.end();
  }

  /** Kills the process without waiting for its end. */
  void close() {
    process.close();
  }
}
