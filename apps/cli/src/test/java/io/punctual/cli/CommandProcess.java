package io.punctual.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command as a separate process, from the classes of the build. */
final class CommandProcess {
  private CommandProcess() {}

  /** Returns a builder of a process that runs a command. */
  static ProcessBuilder with(String... arguments) {
    return with(List.of(), arguments);
  }

  /** Returns a builder of a process that runs a command in a JVM with these options. */
  static ProcessBuilder with(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
