package io.punctual.cli.journal;

import io.punctual.cli.command.Confirmation;
import io.punctual.cli.command.FolderCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.journal.JournalTool;
import io.punctual.journal.report.RepairReport;
import io.punctual.journal.report.SalvagedSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.core.JsonGenerator;

@Command(
    name = "repair",
    description = {
      "Repairs a journal that does not open: lists the damaged files and the records kept of each,"
          + " asks, and replaces the files. Copies of the damaged files stay in the folder, as"
          + " *.damaged.",
      "",
      "Lost records are undone: messages may be missing, and messages that were settled,"
          + " cancelled or changed may be back in their earlier state."
    },
    mixinStandardHelpOptions = true)
final class JournalRepairCommand extends FolderCommand {
  private static final Fields<SalvagedSegment> SALVAGED =
      new Fields<SalvagedSegment>()
          .text("file", SalvagedSegment::file)
          .cell(
              "lost bytes",
              segment -> isKnown(segment) ? Numbers.grouped(segment.lostBytes()) : "unknown")
          .json(JournalRepairCommand::writeLostBytes)
          .number("kept messages", "keptMessages", SalvagedSegment::messages)
          .number("kept changes", "keptChanges", SalvagedSegment::states)
          .number("kept removals", "keptRemovals", SalvagedSegment::removals);

  @Mixin private Confirmation confirmation;

  private static boolean isKnown(SalvagedSegment segment) {
    return segment.lostBytes() != SalvagedSegment.UNKNOWN;
  }

  private static void writeLostBytes(JsonGenerator json, SalvagedSegment segment) {
    if (isKnown(segment)) {
      json.writeNumberProperty("lostBytes", segment.lostBytes());
    } else {
      json.writeNullProperty("lostBytes");
    }
  }

  @Override
  public void checkUsage() {
    if (confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  public int run(Path folder) throws IOException {
    try {
      RepairReport repair = JournalTool.repair(folder, plan -> mayRepair(folder, plan));
      return report(folder, repair);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private boolean mayRepair(Path folder, RepairReport plan) {
    plan.damage()
        .forEach(
            one -> console().say(one.file() + " at byte " + one.offset() + ": " + one.reason()));
    list(plan);
    try {
      return confirmation.isGiven(
          console(), "Repair " + folder + ", and keep these records of the damaged files?");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void list(RepairReport report) {
    try (Listing<SalvagedSegment> listing = new Listing<>(console(), format(), SALVAGED)) {
      report.segments().forEach(listing::add);
      listing.end();
    }
  }

  private int report(Path folder, RepairReport repair) {
    if (repair.damage().isEmpty()) {
      list(repair);
      console().say(folder + ": nothing is damaged; nothing was changed");
      return ExitCode.OK;
    }
    console()
        .say(
            repair.done()
                ? folder + ": repaired; the damaged files are kept as *.damaged"
                : "Nothing was changed");
    return repair.done() ? ExitCode.OK : ExitCode.FAILURE;
  }
}
