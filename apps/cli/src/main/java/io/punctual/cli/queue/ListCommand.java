package io.punctual.cli.queue;

import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.LowerCase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the messages in a state. */
@Command(
    name = "list",
    description = "Lists the messages in one state; scheduled and ready messages by due time.",
    mixinStandardHelpOptions = true)
public final class ListCommand extends QueueReportCommand {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      defaultValue = "scheduled",
      completionCandidates = LowerCase.States.class,
      description = "scheduled, ready, leased, dead or done (default: ${DEFAULT-VALUE}).")
  private State state;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "The most messages to list (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--recurring",
      description = "List only messages that come again, with their next occurrences.")
  private boolean recurring;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public void checkUsage() {
    if (limit < 1) {
      throw wrongUsage("--limit must be positive");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    new MessageList((cursor, page) -> queue.browse(state, cursor, page), state, limit, recurring)
        .print(console(), format());
    return ExitCode.OK;
  }
}
