package io.punctual.cli.lock;

import io.punctual.cli.command.StoreOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "lock",
    description = "Lists, shows and releases distributed locks on Redis.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LockListCommand.class, LockShowCommand.class, LockReleaseCommand.class})
public final class LockGroupCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin StoreOption store;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "list, show or release?");
  }
}
