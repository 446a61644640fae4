package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the queues. */
@Command(
    name = "queues",
    description = "Lists the queues, with the number of messages in each state.",
    mixinStandardHelpOptions = true)
public final class QueuesCommand extends StoreCommand {
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
            "LEASED",
            "DEAD",
            "DONE",
            "PAUSED",
            "LIMITS")) {
      for (String name : punctual.queues()) {
        listing.add(QueueCounts.of(punctual.queue(name, new RawCodec())));
      }
    }
    return ExitCode.OK;
  }
}
