package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import io.punctual.migration.Importer;
import picocli.CommandLine.Option;

/** A command that imports with an {@link Importer}. */
abstract class ImporterCommand extends ImportCommand {
  @Option(
      names = "--follow",
      description = "Continue until Ctrl-C, beside programs that still add entries.")
  private boolean follow;

  @Option(
      names = "--abort",
      description = "Give the entries of an unfinished import back, and import nothing.")
  private boolean abort;

  /** Returns the importer with the options of this command. */
  abstract Importer<?, ?> importer(TimedQueue<byte[]> queue);

  @Override
  final boolean isAbort() {
    return abort;
  }

  @Override
  public final void checkUsage() {
    if (abort && (follow || isDryRun())) {
      throw wrongUsage("--abort does not go with --follow and --dry-run");
    }
  }

  @Override
  final Run prepare(TimedQueue<byte[]> queue, ImportProgress progress) {
    Importer<?, ?> prepared =
        importer(queue)
            .follow(follow)
            .patience(patience())
            .progress(progress::counts)
            .onWait(progress::waits);
    return new Run() {
      @Override
      public ImportReport run() {
        return abort ? prepared.abort() : prepared.run();
      }

      @Override
      public ImportReport dryRun() {
        return prepared.dryRun();
      }

      @Override
      public void stop() {
        prepared.stop();
      }
    };
  }
}
