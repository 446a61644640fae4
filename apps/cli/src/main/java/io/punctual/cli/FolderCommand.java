package io.punctual.cli;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that works on the folder of a journal. */
abstract class FolderCommand extends ConsoleCommand {
  private static final String SCHEME = "journal:";

  @Mixin private OutputOption output;

  @Parameters(paramLabel = "PATH", description = "The journal's folder.")
  private String path;

  /** Does the command's work and returns its exit code. */
  abstract int run(Path folder) throws IOException;

  @Override
  final int execute() throws IOException {
    return run(Path.of(path.startsWith(SCHEME) ? path.substring(SCHEME.length()) : path));
  }

  final OutputFormat format() {
    return output.format();
  }
}
