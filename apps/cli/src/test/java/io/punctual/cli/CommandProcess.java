package io.punctual.cli;

import io.punctual.kit.process.JavaProcess;
import java.util.List;

/** The command as a separate process, from the classes of the build. */
final class CommandProcess {
  private CommandProcess() {}

  static JavaProcess.Builder with(String... arguments) {
    return with(List.of(), arguments);
  }

  /** Returns a builder of a process that runs a command in a JVM with these options. */
  static JavaProcess.Builder with(List<String> options, String... arguments) {
    return JavaProcess.of(Main.class)
        .options("-XX:TieredStopAtLevel=1")
        .options(options)
        .arguments(arguments);
  }
}
