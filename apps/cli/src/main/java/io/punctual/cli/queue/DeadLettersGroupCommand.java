package io.punctual.cli.queue;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The group of commands for dead letters. */
@Command(
    name = "dead-letters",
    description = "Lists, redrives and deletes dead letters.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DeadLettersListCommand.class,
      DeadLettersRedriveCommand.class,
      DeadLettersDeleteCommand.class
    })
public final class DeadLettersGroupCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "list, redrive or delete?");
  }
}
