package io.punctual.cli.journal;

import io.punctual.cli.command.FolderCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.journal.JournalTool;
import io.punctual.journal.report.JournalStats;
import java.nio.file.Path;
import picocli.CommandLine.Command;

@Command(
    name = "stats",
    description = "Shows the size of a journal, and how much of it is still needed.",
    mixinStandardHelpOptions = true)
final class JournalStatsCommand extends FolderCommand {
  private static final Fields<JournalStats> FIELDS =
      new Fields<JournalStats>()
          .number("segments", JournalStats::segments)
          .number("bytes", JournalStats::bytes)
          .number("needed", "neededBytes", JournalStats::neededBytes)
          .number("hints", JournalStats::hints)
          .flag("closed", JournalStats::closed)
          .number("queues", JournalStats::queues)
          .number("waiting", JournalStats::waiting)
          .number("dead", JournalStats::dead)
          .number("finished", JournalStats::finished);

  @Override
  public int run(Path folder) {
    Listing.show(console(), format(), FIELDS, JournalTool.stats(folder));
    return ExitCode.OK;
  }
}
