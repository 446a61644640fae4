package io.punctual.cli.journal;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "journal",
    description = "Checks, repairs and measures the files of a journal.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      JournalVerifyCommand.class,
      JournalRepairCommand.class,
      JournalStatsCommand.class
    })
public final class JournalCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "verify, repair or stats?");
  }
}
