package io.punctual.cli.deadletter;

import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.message.MessageList;
import io.punctual.cli.output.ExitCode;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Lists dead letters by time of death, with the reasons.",
    mixinStandardHelpOptions = true)
final class DeadLettersListCommand extends QueueReportCommand {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      converter = Positive.IntConverter.class,
      description = "The most dead letters to list (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(names = "--newest", description = "The latest deaths first, of all partitions together.")
  private boolean newest;

  @Mixin private DeadLetterOptions selection;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    DeadLetterFilter filter = selection.filter();
    DeadLetters<byte[]> letters = queue.deadLetters();
    new MessageList(
            (cursor, page) -> letters.list(new DeadLetterQuery(filter, cursor, page, newest)),
            State.DEAD,
            limit,
            false)
        .print(console(), format());
    return ExitCode.OK;
  }
}
