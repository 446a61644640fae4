package io.punctual.cli.queue;

import io.punctual.MessageQuery;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.message.MessageList;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Lists the messages in one state; scheduled and ready messages by due time.",
    mixinStandardHelpOptions = true)
public final class ListCommand extends QueueReportCommand {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      defaultValue = "scheduled",
      completionCandidates = EnumNames.States.class,
      description = "scheduled, ready, leased, dead or finished (default: ${DEFAULT-VALUE}).")
  private State state;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      converter = Positive.IntConverter.class,
      description = "The most messages to list (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--from",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description =
          "Only times at or after this instant, such as 2030-01-31T12:00:00Z: due times, ends of"
              + " leases, or times of death, by state.")
  private @Nullable Instant from;

  @Option(
      names = "--before",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Only times before this instant.")
  private @Nullable Instant before;

  @Option(names = "--newest", description = "The latest times first, of all partitions together.")
  private boolean newest;

  @Option(
      names = "--recurring",
      description = "List only recurring messages, with their next occurrences.")
  private boolean recurring;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    MessageList.Pages pages =
        (cursor, page) ->
            queue.browse(
                new MessageQuery(
                    state,
                    Optional.ofNullable(from),
                    Optional.ofNullable(before),
                    cursor,
                    page,
                    true,
                    newest));
    new MessageList(pages, state, limit, recurring).print(console(), format());
    return ExitCode.OK;
  }
}
