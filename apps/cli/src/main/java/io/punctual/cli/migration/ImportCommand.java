package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.migration.ImportProblem;
import io.punctual.migration.ImportReport;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/**
 * A command that imports entries into the queue that it names. Shows the progress and, at the end,
 * the counts. Ctrl-C ends the import after its current step.
 */
abstract class ImportCommand extends QueueReportCommand {
  private static final int SHOWN_PROBLEMS = 5;

  @Option(
      names = "--dry-run",
      description = "Only count: no entry leaves the old queue, and no message is stored.")
  private boolean dryRun;

  /** An import whose options are set. */
  interface Run {
    /** Imports, or undoes an unfinished run, as the options say. */
    ImportReport run();

    /** Counts without a change. */
    ImportReport dryRun();

    /** Ends the import after its current step. For any thread. */
    void stop();
  }

  /**
   * Returns the import.
   *
   * @param progress receives the counts during the run
   * @throws IllegalArgumentException if an option is wrong
   */
  abstract Run prepare(TimedQueue<byte[]> queue, Consumer<ImportReport> progress);

  final boolean isDryRun() {
    return dryRun;
  }

  @Override
  public final boolean mayCreateStore() {
    return true;
  }

  @Override
  public final WhenMissing whenMissing() {
    return WhenMissing.CREATE;
  }

  @Override
  public final int run(TimedQueue<byte[]> queue) {
    console().out().ignoreReaderGone();
    ImportReport report;
    try (ProgressLine line = ProgressLine.of(console())) {
      Run run = prepare(queue, counts -> line.show(text(counts)));
      CompletableFuture<?> unused = console().stop().asked().thenRun(run::stop);
      report = dryRun ? run.dryRun() : run.run();
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    ImportRow row = new ImportRow(report);
    Listing.show(console(), format(), row, row.labels());
    explain(report);
    return report.isClean() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static String text(ImportReport counts) {
    return Numbers.grouped(counts.found())
        + " found, "
        + Numbers.grouped(counts.scheduled())
        + " scheduled, "
        + Numbers.grouped(counts.left())
        + " left";
  }

  private void explain(ImportReport report) {
    for (ImportProblem problem : report.problems().stream().limit(SHOWN_PROBLEMS).toList()) {
      console().say("Not imported: " + problem.entry() + ": " + problem.reason());
    }
    if (report.left() > SHOWN_PROBLEMS) {
      console().say(Numbers.grouped(report.left()) + " entries were not imported in all");
    }
    if (report.complete() && isEmpty(report)) {
      console().say("Nothing was found; check --from and the names of the old queue");
    }
    if (!report.complete()) {
      console().say("The import has not reached its end; run it again to continue");
    }
  }

  private static boolean isEmpty(ImportReport report) {
    return report.found() == 0 && report.details().values().stream().allMatch(count -> count == 0);
  }
}
