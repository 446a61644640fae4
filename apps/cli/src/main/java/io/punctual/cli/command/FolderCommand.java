package io.punctual.cli.command;

import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that works on the folder of a journal. */
public abstract class FolderCommand extends ConsoleCommand {
  private static final String SCHEME = "journal:";

  @Mixin private OutputOption output;

  @Parameters(paramLabel = "PATH", description = "The journal's folder.")
  private String path;

  /** Does the command's work and returns its exit code. */
  public abstract int run(Path folder) throws IOException;

  @Override
  public final int execute() throws IOException {
    console().out().ignoreReaderGone();
    return run(Path.of(path.startsWith(SCHEME) ? path.substring(SCHEME.length()) : path));
  }

  public final OutputFormat format() {
    return output.format();
  }
}
