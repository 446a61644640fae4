package io.punctual.cli.migration;

import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.migration.ImportProblem;
import io.punctual.migration.ImportReport;
import io.punctual.migration.Importer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * A command that imports entries from another delay queue into a queue. Shows the progress and, at
 * the end, the counts. Ctrl-C ends the import after its current step.
 */
abstract class ImporterCommand extends QueueReportCommand {
  private static final int SHOWN_PROBLEMS = 5;
  private static final String STAGED = "staged";
  private static final String OUTCOME_OF_FAILURE =
      "The import has failed. If it has reached the old queue, up to a batch of entries may be"
          + " staged, delivered by neither side."
          + " Run the same command again to continue, or with --abort to give the entries back";

  @Option(
      names = "--dry-run",
      description = "Only count: no entry leaves the old queue, and no message is stored.")
  private boolean dryRun;

  @Option(
      names = "--patience",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = TimeSpan.Converter.class,
      description = {
        "How long the import repeats a step that fails for a temporary reason, such as a full store"
            + " (default: ${DEFAULT-VALUE}). With --follow, it repeats the step without a limit."
      })
  private Duration patience;

  @Option(
      names = "--follow",
      description = "Continue until Ctrl-C, beside programs that still add entries.")
  private boolean follow;

  @Option(
      names = "--abort",
      description = "Give the entries of an unfinished import back, and import nothing.")
  private boolean abort;

  /**
   * Returns the importer with the options of this command.
   *
   * @throws IllegalArgumentException if an option is wrong
   */
  abstract Importer<?, ?> importer(TimedQueue<byte[]> queue);

  @Override
  public final void checkUsage() {
    if (abort && (follow || dryRun)) {
      throw wrongUsage("--abort does not go with --follow and --dry-run");
    }
    if (dryRun && (follow || isGiven("--patience"))) {
      throw wrongUsage("--dry-run only counts once; leave out --follow and --patience");
    }
  }

  /** Returns true for a dry run, which looks at the old queue only. */
  @Override
  public final boolean needsNoStore() {
    return dryRun;
  }

  /**
   * Returns false if the command undoes an unfinished import. The store of that import exists, so a
   * missing store means a wrong URL.
   */
  @Override
  public final boolean mayCreateStore() {
    return !abort;
  }

  @Override
  public final WhenMissing whenMissing() {
    return WhenMissing.CREATE;
  }

  /** Refuses a store that would lose what the old queue has given. */
  @Override
  public final int run(Punctual punctual, TimedQueue<byte[]> queue) {
    if (!dryRun && isInMemory(punctual)) {
      throw wrongUsage(
          "A store in memory ends with this command, and the imported entries would be lost; name a"
              + " durable store");
    }
    return run(queue);
  }

  @Override
  public final int run(TimedQueue<byte[]> queue) {
    ImportReport report;
    boolean began = false;
    ProgressLine line = ProgressLine.of(console());
    ImportProgress progress = new ImportProgress(line);
    try (line) {
      Importer<?, ?> importer =
          importer(queue)
              .follow(follow)
              .patience(patience)
              .progress(progress::counts)
              .onWait(progress::waits);
      CompletableFuture<?> unused = console().stop().asked().thenRun(importer::stop);
      began = !dryRun;
      report = dryRun ? importer.dryRun() : abort ? importer.abort() : importer.run();
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    } catch (PunctualException e) {
      if (began) {
        explainFailure(progress.last());
      }
      throw e;
    }
    Listing.show(console(), format(), ImportRow.fields(report), report);
    explain(report);
    return report.isClean() ? ExitCode.OK : ExitCode.FAILURE;
  }

  /**
   * Shows the last counts of a failed import and its outcome to the user. There are no counts if
   * the first batch failed.
   */
  private void explainFailure(@Nullable String last) {
    if (last != null) {
      console().say(last);
    }
    console().say(OUTCOME_OF_FAILURE);
  }

  private void explain(ImportReport report) {
    for (ImportProblem problem : report.problems().stream().limit(SHOWN_PROBLEMS).toList()) {
      console().say("Not imported: " + problem.entry() + ": " + problem.reason());
    }
    if (report.left() > SHOWN_PROBLEMS) {
      console().say(Numbers.grouped(report.left()) + " entries were not imported in all");
    }
    long staged = report.details().getOrDefault(STAGED, 0L);
    if (staged > 0) {
      console()
          .say(
              Numbers.grouped(staged)
                  + " entries are in the staging, delivered by neither side; --abort gives them"
                  + " back");
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
