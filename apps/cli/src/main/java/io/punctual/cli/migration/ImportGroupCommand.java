package io.punctual.cli.migration;

import io.punctual.cli.command.StoreOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "import",
    description = "Imports the messages of other delay queues.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RedissonCommand.class,
      RqueueCommand.class,
      ZsetCommand.class,
      DelayTableCommand.class,
      DbSchedulerCommand.class,
      QuartzCommand.class
    })
public final class ImportGroupCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin StoreOption store;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "From which library?");
  }
}
