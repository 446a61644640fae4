package io.punctual.cli.queue;

import io.punctual.RescheduleOutcome;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.DueOption;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Gives waiting messages a new time. */
@Command(
    name = "reschedule",
    description = "Gives waiting messages a new time, earlier or later.",
    mixinStandardHelpOptions = true)
public final class RescheduleCommand extends QueueReportCommand {
  @Parameters(index = "1..*", arity = "1..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids;

  @ArgGroup(multiplicity = "1")
  private DueOption due;

  @Override
  public int run(TimedQueue<byte[]> queue) {
    return each(
        ids,
        RescheduleOutcome.RESCHEDULED,
        RescheduleOutcome.NOT_FOUND,
        id -> queue.reschedule(id, due.due()));
  }
}
