package io.punctual.cli;

import io.punctual.kit.process.JavaProcess;
import java.nio.file.Path;

/** The packaged command, as a separate process. */
final class PackagedCommand {
  static final Path JAR = Path.of("target", "punctual.jar").toAbsolutePath();

  static final Path SCRIPT = JAR.getParent().resolve("../../../punctual").normalize();

  private PackagedCommand() {}

  /**
   * Returns a builder of a process that runs the command with this folder for its configuration.
   */
  static JavaProcess.Builder with(Path configuration, String... arguments) {
    return JavaProcess.ofJar(JAR)
        .options("-XX:+UseSerialGC", "-Xmx128m")
        .environment("XDG_CONFIG_HOME", configuration.toString())
        .environment("PUNCTUAL_STORE", null)
        .arguments(arguments);
  }
}
