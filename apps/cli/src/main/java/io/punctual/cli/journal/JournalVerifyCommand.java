package io.punctual.cli.journal;

import io.punctual.cli.command.FolderCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.journal.JournalTool;
import io.punctual.journal.report.Damage;
import io.punctual.journal.report.SegmentReport;
import io.punctual.journal.report.VerificationReport;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;

@Command(
    name = "verify",
    description =
        "Reads the manifest and the segments of a journal, each segment up to its first damaged"
            + " place, and lists these places. The exit code is 1 if the journal is damaged."
            + " Messages need no other files, so hints and files of attempts are not read.",
    mixinStandardHelpOptions = true)
final class JournalVerifyCommand extends FolderCommand {
  private static final Fields<Damage> DAMAGE =
      new Fields<Damage>()
          .text("file", Damage::file)
          .cell("byte", damage -> Long.toString(damage.offset()))
          .json("offset", Damage::offset)
          .text("what is wrong", "reason", Damage::reason);

  @Override
  public int run(Path folder) {
    VerificationReport report = JournalTool.verify(folder);
    long bytes = report.segments().stream().mapToLong(SegmentReport::bytes).sum();
    try (Listing<Damage> listing = new Listing<>(console(), format(), DAMAGE)) {
      report.damage().forEach(listing::add);
      listing.end();
    }
    console()
        .say(
            String.format(
                Locale.ROOT,
                "%s: %s segments, %s bytes, %s",
                folder,
                Numbers.grouped(report.segments().size()),
                Numbers.grouped(bytes),
                report.damage().isEmpty()
                    ? "all as it was written"
                    : "damaged; run 'punctual journal repair "
                        + folder
                        + "' to see which records it would keep"));
    return report.damage().isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }
}
