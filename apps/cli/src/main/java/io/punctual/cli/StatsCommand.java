package io.punctual.cli;

import io.punctual.TimedQueue;
import picocli.CommandLine.Command;

/** Counts the messages of a queue. */
@Command(
    name = "stats",
    description =
        "Counts the messages of a queue in each state; 'ready' is what workers are behind.",
    mixinStandardHelpOptions = true)
final class StatsCommand extends QueueReportCommand {
  @Override
  int run(TimedQueue<byte[]> queue) {
    QueueCounts counts = QueueCounts.of(queue);
    Listing.show(console(), format(), counts, QueueCounts.LABELS);
    return ExitCode.OK;
  }
}
