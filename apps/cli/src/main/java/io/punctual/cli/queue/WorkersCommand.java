package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.WorkerInfo;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import java.util.List;
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
  private static final Fields<WorkerInfo> FIELDS =
      new Fields<WorkerInfo>()
          .text("queue", WorkerInfo::queue)
          .text("name", WorkerInfo::name)
          .text("host", WorkerInfo::host)
          .cell("pid", worker -> Long.toString(worker.pid()))
          .json("pid", WorkerInfo::pid)
          .number("concurrency", WorkerInfo::concurrency)
          .flag("paused", WorkerInfo::isPaused)
          .text("version", WorkerInfo::version)
          .instant("started", "startedAt", WorkerInfo::startedAt)
          .instant("last seen", "lastSeenAt", WorkerInfo::lastSeenAt);

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
    List<WorkerInfo> workers =
        punctual.workers().stream()
            .filter(worker -> queue.isEmpty() || queue.equals(worker.queue()))
            .toList();
    if (!queue.isEmpty() && workers.isEmpty()) {
      QueueNames existing = QueueNames.of(punctual);
      if (!existing.contain(queue)) {
        console().say(existing.missing(queue));
        return ExitCode.NOT_FOUND;
      }
    }
    try (Listing<WorkerInfo> listing = new Listing<>(console(), output.format(), FIELDS)) {
      workers.forEach(listing::add);
      listing.end();
    }
    return ExitCode.OK;
  }
}
