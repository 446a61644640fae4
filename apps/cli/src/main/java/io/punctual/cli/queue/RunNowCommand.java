package io.punctual.cli.queue;

import io.punctual.RescheduleOutcome;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes waiting messages due now. */
@Command(
    name = "run-now",
    description = "Makes waiting messages due now.",
    mixinStandardHelpOptions = true)
public final class RunNowCommand extends QueueReportCommand {
  @Parameters(index = "1..*", arity = "1..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids;

  @Override
  public int run(TimedQueue<byte[]> queue) {
    return each(ids, RescheduleOutcome.RESCHEDULED, RescheduleOutcome.NOT_FOUND, queue::runNow);
  }
}
