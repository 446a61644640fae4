package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.WorkerInfo;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the workers of all processes. */
@Command(
    name = "workers",
    description =
        "Lists the workers of all processes on Redis or in a SQL database. A process that died"
            + " disappears after 30 seconds.",
    mixinStandardHelpOptions = true)
public final class WorkersCommand extends StoreCommand {
  @Option(
      names = "--queue",
      paramLabel = "QUEUE",
      defaultValue = "",
      description = "List only the workers of this queue.")
  private String queue;

  @Mixin private OutputOption output;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(Punctual punctual) {
    try (Listing listing = new Listing(console(), output.format(), WorkerRow.COLUMNS)) {
      for (WorkerInfo worker : punctual.workers()) {
        if (queue.isEmpty() || queue.equals(worker.queue())) {
          listing.add(new WorkerRow(worker));
        }
      }
      listing.end();
    }
    return ExitCode.OK;
  }
}
