package io.punctual.cli.journal;

import io.punctual.cli.command.FolderCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.journal.JournalTool;
import io.punctual.journal.report.JournalStats;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.core.JsonGenerator;

/** Measures a journal. */
@Command(
    name = "stats",
    description = "Shows the size of a journal, and how much of it is still needed.",
    mixinStandardHelpOptions = true)
final class JournalStatsCommand extends FolderCommand {
  private static final String[] LABELS = {
    "segments", "bytes", "needed", "hints", "closed", "queues", "waiting", "dead", "finished"
  };

  @Override
  public int run(Path folder) {
    Listing.show(console(), format(), new Row(JournalTool.stats(folder)), LABELS);
    return ExitCode.OK;
  }

  private record Row(JournalStats stats) implements Listed {
    @Override
    public List<String> cells() {
      return List.of(
          Numbers.grouped(stats.segments()),
          Numbers.grouped(stats.bytes()),
          Numbers.grouped(stats.neededBytes()),
          Numbers.grouped(stats.hints()),
          stats.closed() ? "yes" : "no",
          Numbers.grouped(stats.queues()),
          Numbers.grouped(stats.waiting()),
          Numbers.grouped(stats.dead()),
          Numbers.grouped(stats.finished()));
    }

    @Override
    public void writeFields(JsonGenerator json) {
      json.writeNumberProperty("segments", stats.segments());
      json.writeNumberProperty("bytes", stats.bytes());
      json.writeNumberProperty("neededBytes", stats.neededBytes());
      json.writeNumberProperty("hints", stats.hints());
      json.writeBooleanProperty("closed", stats.closed());
      json.writeNumberProperty("queues", stats.queues());
      json.writeNumberProperty("waiting", stats.waiting());
      json.writeNumberProperty("dead", stats.dead());
      json.writeNumberProperty("finished", stats.finished());
    }
  }
}
