package io.punctual.cli;

import io.punctual.Punctual;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the queues. */
@Command(
    name = "queues",
    description = "Lists the queues, and how many messages are in each.",
    mixinStandardHelpOptions = true)
final class QueuesCommand extends StoreCommand {
  @Mixin private OutputOption output;

  @Override
  int run(Punctual punctual) {
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
            "PAUSED")) {
      for (String name : punctual.queues()) {
        listing.add(QueueCounts.of(punctual.queue(name, new RawCodec())));
      }
    }
    return ExitCode.OK;
  }
}
