package io.punctual.cli.queue;

import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the queues. */
@Command(
    name = "queues",
    description =
        "Lists the queues, with the number of messages in each state, and how overdue they are.",
    mixinStandardHelpOptions = true)
public final class QueuesCommand extends StoreCommand {
  private static final int PAGE = 20;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "List only queues whose names begin with this text.")
  private String prefix;

  @Option(
      names = "--after",
      paramLabel = "QUEUE",
      defaultValue = "",
      description = "List only queues after this name.")
  private String after;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10000",
      converter = Positive.IntConverter.class,
      description = "The most queues to list (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Mixin private OutputOption output;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(Punctual punctual) {
    try (Listing listing =
        new Listing(
            console(),
            output.format(),
            "QUEUE",
            "PARTITIONS",
            "SCHEDULED",
            "READY",
            "OVERDUE",
            "LEASED",
            "DEAD",
            "FINISHED",
            "PAUSED",
            "LIMITS")) {
      list(punctual, listing);
    }
    return ExitCode.OK;
  }

  private void list(Punctual punctual, Listing listing) {
    Optional<String> cursor = after.isEmpty() ? Optional.empty() : Optional.of(after);
    int left = limit;
    do {
      Page<QueueInfo> page = punctual.queues(prefix, cursor, Math.min(left, PAGE));
      page.items().forEach(queue -> listing.add(QueueCounts.of(queue)));
      left -= page.items().size();
      cursor = page.next();
    } while (left > 0 && cursor.isPresent());
    cursor.ifPresent(
        last -> console().say("There are more queues; --after " + last + " shows the next"));
  }
}
