package io.punctual.cli.queue;

import io.punctual.Lateness;
import io.punctual.PauseWorkerOutcome;
import io.punctual.Punctual;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputOption;
import io.punctual.view.Values;
import io.punctual.view.WorkerView;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "workers",
    description =
        "Lists the workers of all processes on Redis, in a SQL database or of a server. A process"
            + " that died disappears after 30 seconds. The rates and the lateness are those of the last"
            + " minute, up to 10 seconds old.",
    mixinStandardHelpOptions = true)
public final class WorkersCommand extends StoreCommand {
  private static final Fields<WorkerInfo> FIELDS =
      new Fields<WorkerInfo>()
          .cell("queue", WorkerInfo::queue)
          .cell("name", WorkerInfo::name)
          .cell("host", WorkerInfo::host)
          .cell("pid", worker -> Long.toString(worker.pid()))
          .cell("concurrency", worker -> Numbers.grouped(worker.concurrency()))
          .cell("running", worker -> figure(worker, each -> Numbers.grouped(each.running())))
          .cell("per min", worker -> figure(worker, each -> rate(each.handledPerMinute())))
          .cell("failed per min", worker -> figure(worker, each -> rate(each.failedPerMinute())))
          .cell("lateness p99", worker -> figure(worker, WorkersCommand::lateness))
          .cell("paused", worker -> worker.isPaused() ? "yes" : "no")
          .cell("version", WorkerInfo::version)
          .cell("started", worker -> Values.instant(worker.startedAt()))
          .cell("last seen", worker -> Values.instant(worker.lastSeenAt()))
          .cell("id", WorkerInfo::id)
          .view(WorkerView::of);

  @Option(
      names = "--queue",
      paramLabel = "QUEUE",
      defaultValue = "",
      description = "List only the workers of this queue.")
  private String queue;

  @Option(
      names = "--pause",
      paramLabel = "WORKER",
      description =
          "Ask the workers with this name or id to claim no more messages. They obey within 10"
              + " seconds, until --resume or the end of their process.")
  private @Nullable String pause;

  @Option(
      names = "--resume",
      paramLabel = "WORKER",
      description = "Ask the workers with this name or id to claim again after --pause.")
  private @Nullable String resume;

  @Mixin private OutputOption output;

  private int ask(Punctual punctual, List<WorkerInfo> workers, String asked) {
    List<WorkerInfo> named =
        workers.stream()
            .filter(each -> asked.equals(each.name()) || asked.equals(each.id()))
            .toList();
    if (named.isEmpty()) {
      console().say("No worker has the name or id '" + asked + "'; 'workers' lists them");
      return ExitCode.NOT_FOUND;
    }
    int exitCode = ExitCode.OK;
    for (WorkerInfo worker : named) {
      PauseWorkerOutcome outcome =
          pause == null ? punctual.resumeWorker(worker.id()) : punctual.pauseWorker(worker.id());
      console()
          .say(
              "Worker '"
                  + worker.name()
                  + "' of queue '"
                  + worker.queue()
                  + "' on "
                  + worker.host()
                  + switch (outcome) {
                    case REQUESTED ->
                        " was asked to "
                            + (pause == null ? "resume" : "pause")
                            + ", and obeys within 10 seconds";
                    case NOT_FOUND -> " has ended";
                    case NOT_SUPPORTED ->
                        " runs an earlier version of Punctual, which does not obey; pause its queue"
                            + " instead";
                  });
      exitCode = outcome == PauseWorkerOutcome.REQUESTED ? exitCode : ExitCode.FAILURE;
    }
    return exitCode;
  }

  private static String figure(WorkerInfo worker, Function<WorkerFigures, String> text) {
    return worker.figures().map(text).orElse("");
  }

  private static String rate(double perMinute) {
    return perMinute > 0 && perMinute < 10
        ? String.format(Locale.ROOT, "%.1f", perMinute)
        : Numbers.grouped(Math.round(perMinute));
  }

  /** Returns the 99th percentile of the lateness, or "-" if no message came in the last minute. */
  private static String lateness(WorkerFigures figures) {
    Lateness lateness = figures.lateness();
    return lateness.count() == 0
        ? "-"
        : Numbers.lateness(TimeUnit.MICROSECONDS.convert(lateness.percentile(99)));
  }

  @Override
  public boolean isReadOnly() {
    return pause == null && resume == null;
  }

  @Override
  public void checkUsage() {
    if (pause != null && resume != null) {
      throw wrongUsage("Name workers to pause or to resume, not both");
    }
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
    String asked = pause == null ? resume : pause;
    if (asked != null) {
      return ask(punctual, workers, asked);
    }
    try (Listing<WorkerInfo> listing = new Listing<>(console(), output.format(), FIELDS)) {
      workers.forEach(listing::add);
      listing.end();
    }
    if (workers.isEmpty() && UnworkedQueues.isOfOneProcess(punctual)) {
      console().say(punctual.store() + " shows its workers only to the process that has it open");
    }
    return ExitCode.OK;
  }
}
