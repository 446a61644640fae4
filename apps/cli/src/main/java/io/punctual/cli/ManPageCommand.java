package io.punctual.cli;

import io.punctual.cli.command.ConsoleCommand;
import io.punctual.cli.output.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Writes the manual page. */
@Command(
    name = "generate-man-page",
    description = "Generate a page for man(1), with all commands.",
    mixinStandardHelpOptions = true)
final class ManPageCommand extends ConsoleCommand {
  @Spec private CommandSpec command;

  @Override
  public int execute() {
    console().out().print(new ManPage(command.root()).toString());
    console().out().flush();
    return ExitCode.OK;
  }
}
