package io.punctual.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks after dead letters. */
@Command(
    name = "dead",
    description = "Lists, redrives and deletes dead letters.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {DeadListCommand.class, DeadRedriveCommand.class, DeadDeleteCommand.class})
final class DeadCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "list, redrive or delete?");
  }
}
