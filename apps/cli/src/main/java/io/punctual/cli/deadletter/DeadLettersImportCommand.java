package io.punctual.cli.deadletter;

import io.punctual.Limits;
import io.punctual.cli.command.SpiCommand;
import io.punctual.cli.input.LineReader;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import io.punctual.migration.deadletter.DeadLetterImport;
import io.punctual.migration.deadletter.ImportedDeadLetters;
import io.punctual.spi.Store;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stores the lines of an export as dead letters. */
@Command(
    name = "import",
    description = {
      "Stores the lines of 'dead-letters export' from standard input as dead letters. A line is"
          + " stored only if its id is free, so the command can be repeated.",
      "",
      "The exit code is 1 if a line was refused; standard error names its number and the reason."
    },
    mixinStandardHelpOptions = true)
final class DeadLettersImportCommand extends SpiCommand {
  /**
   * The maximum length of a line in bytes: room for the largest payload in Base64, and for the
   * other fields.
   */
  private static final int LONGEST_LINE = Limits.MAX_PAYLOAD_BYTES / 3 * 4 + (4 << 20);

  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  @Option(names = "--dry-run", description = "Only check the lines and count; store nothing.")
  private boolean dryRun;

  @Mixin private OutputOption output;

  private long badLines;

  @Override
  public boolean mayCreateStore() {
    return !dryRun;
  }

  @Override
  public int run(Store opened) throws IOException {
    if (console().terminal().in()) {
      console().say("Reading a dead letter from each line, until ^D");
    }
    ImportedDeadLetters counts;
    try (DeadLetterImport lines = into(opened).dryRun(dryRun).onRefused(this::refused)) {
      LineReader.forEach(console().in(), LONGEST_LINE, lines::add, this::bad);
      counts = lines.finish();
    }
    long refused = counts.refused() + badLines;
    Listing.show(
        console(),
        output.format(),
        new Fields<ImportedDeadLetters>()
            .number(dryRun ? "storable" : "stored", ImportedDeadLetters::stored)
            .number("present", ImportedDeadLetters::present)
            .number("refused", ignored -> refused),
        counts);
    return refused == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private DeadLetterImport into(Store opened) {
    try {
      return DeadLetterImport.into(opened, queue);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private void bad(long line, String why) {
    badLines++;
    refused(line, why);
  }

  private void refused(long line, String why) {
    console().say("line " + line + " " + why);
  }
}
