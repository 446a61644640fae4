package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import picocli.CommandLine.Command;

@Command(
    name = "stats",
    description =
        "Counts the messages of a queue in each state; ready messages are the backlog of the"
            + " workers.",
    mixinStandardHelpOptions = true)
public final class StatsCommand extends QueueReportCommand {
  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(Punctual punctual, TimedQueue<byte[]> queue) {
    QueueCounts counts = show(queue);
    UnworkedQueues unworked = new UnworkedQueues(punctual);
    unworked.add(queue.name(), counts.counts());
    unworked.tell(console());
    return ExitCode.OK;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    QueueCounts unused = show(queue);
    return ExitCode.OK;
  }

  private QueueCounts show(TimedQueue<byte[]> queue) {
    QueueCounts counts = QueueCounts.of(queue);
    Listing.show(console(), format(), QueueCounts.FIELDS, counts);
    return counts;
  }
}
