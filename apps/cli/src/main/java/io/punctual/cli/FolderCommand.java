package io.punctual.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that works on the folder of a journal. */
abstract class FolderCommand implements Callable<Integer> {
  private static final String SCHEME = "journal:";

  @Spec private CommandSpec spec;
  @Mixin private OutputOption output;

  @Parameters(paramLabel = "PATH", description = "The journal's folder.")
  private String path;

  /** Does the command's work and returns its exit code. */
  abstract int run(Path folder) throws IOException;

  @Override
  public final Integer call() throws IOException {
    checkUsage();
    try {
      return run(Path.of(path.startsWith(SCHEME) ? path.substring(SCHEME.length()) : path));
    } finally {
      console().err().flush();
    }
  }

  /** Refuses arguments that do not go together. */
  void checkUsage() {}

  final OutputFormat format() {
    return output.format();
  }

  final Console console() {
    return ((PunctualCommand) spec.root().userObject()).console();
  }

  final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
