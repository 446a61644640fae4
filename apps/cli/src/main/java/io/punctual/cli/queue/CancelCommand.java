package io.punctual.cli.queue;

import io.punctual.CancelOutcome;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Cancels messages. */
@Command(
    name = "cancel",
    description = {
      "Cancels messages. A leased message is not stopped, but is not delivered again; the exit"
          + " code is then 1."
    },
    mixinStandardHelpOptions = true)
public final class CancelCommand extends QueueReportCommand {
  @Parameters(index = "1..*", arity = "1..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids;

  @Override
  public int run(TimedQueue<byte[]> queue) {
    return each(ids, CancelOutcome.CANCELLED, CancelOutcome.NOT_FOUND, queue::cancel);
  }
}
