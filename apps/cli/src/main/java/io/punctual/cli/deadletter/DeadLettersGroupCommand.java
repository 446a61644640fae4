package io.punctual.cli.deadletter;

import io.punctual.cli.command.StoreOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "dead-letters",
    description = "Groups, lists, redrives, deletes, exports and imports dead letters.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DeadLettersGroupsCommand.class,
      DeadLettersListCommand.class,
      DeadLettersRedriveCommand.class,
      DeadLettersDeleteCommand.class,
      DeadLettersRetainCommand.class,
      DeadLettersExportCommand.class,
      DeadLettersImportCommand.class
    })
public final class DeadLettersGroupCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin StoreOption store;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "groups, list, redrive, delete, retain, export or import?");
  }
}
