package io.punctual.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The packaged command, as a separate process. */
final class PackagedCommand {
  static final Path JAR = Path.of("target", "punctual.jar").toAbsolutePath();

  private PackagedCommand() {}

  /**
   * Returns a builder of a process that runs the command with this folder for its configuration.
   */
  static ProcessBuilder with(Path configuration, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx128m", "-jar", JAR.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("XDG_CONFIG_HOME", configuration.toString());
    builder.environment().remove("PUNCTUAL_STORE");
    return builder;
  }
}
