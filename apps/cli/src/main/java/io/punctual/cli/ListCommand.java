package io.punctual.cli;

import io.punctual.State;
import io.punctual.TimedQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the messages in a state. */
@Command(
    name = "list",
    description = "Lists the messages in a state: waiting ones by due time.",
    mixinStandardHelpOptions = true)
final class ListCommand extends QueueReportCommand {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      defaultValue = "scheduled",
      completionCandidates = LowerCase.States.class,
      description = "scheduled, ready, leased or dead (default: ${DEFAULT-VALUE}).")
  private State state;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many at most (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Override
  void checkUsage() {
    if (limit < 1) {
      throw wrongUsage("--limit must be positive");
    }
  }

  @Override
  int run(TimedQueue<byte[]> queue) {
    new MessageList(queue, state, limit).print(console(), format());
    return ExitCode.OK;
  }
}
