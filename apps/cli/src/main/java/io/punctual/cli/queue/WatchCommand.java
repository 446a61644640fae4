package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.StoreUnavailableException;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the counts of queues at an interval. */
@Command(
    name = "watch",
    description = {
      "Shows the counts of queues at an interval, until Ctrl-C: in place on a terminal, otherwise a"
          + " line for each queue.",
      "",
      "'overdue' is the time since the oldest ready message was due. 'change' is the change of"
          + " waiting and leased messages in a second."
    },
    mixinStandardHelpOptions = true)
public final class WatchCommand extends StoreCommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "QUEUE",
      description = "The queues; by default those of --sort, --limit and --prefix.")
  private List<String> queues = List.of();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "2s",
      converter = TimeSpan.Converter.class,
      description = "The time between two updates (default: ${DEFAULT-VALUE}).")
  private Duration interval;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      converter = Positive.IntConverter.class,
      description = "The most queues to show if none is named (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Show only queues whose names begin with this text.")
  private String prefix;

  @Option(
      names = "--sort",
      paramLabel = "ORDER",
      defaultValue = "overdue",
      completionCandidates = QueueOrder.Names.class,
      description =
          "overdue: the longest overdue first; name; or ready, pending or dead: the most messages"
              + " first (default: ${DEFAULT-VALUE}).")
  private QueueOrder order;

  @Mixin private OutputOption output;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public void checkUsage() {
    if (output.format() == OutputFormat.JSON) {
      throw wrongUsage("watch has no end; use -o ndjson");
    }
    if (!queues.isEmpty() && !prefix.isEmpty()) {
      throw wrongUsage("Name queues, or a --prefix, but not both");
    }
    if (!queues.isEmpty() && (isGiven("--limit") || isGiven("--sort"))) {
      throw wrongUsage("--limit and --sort choose among all queues; leave them out, or the names");
    }
    if (interval.compareTo(Duration.ofMillis(100)) < 0) {
      throw wrongUsage("--interval must be at least 100ms");
    }
  }

  @Override
  public int run(Punctual punctual) throws InterruptedException {
    QueueNames existing = QueueNames.of(punctual);
    for (String queue : queues) {
      if (!existing.contain(queue)) {
        console().say(existing.missing(queue));
        return ExitCode.NOT_FOUND;
      }
    }
    WatchTable table = new WatchTable(console(), output.format());
    boolean away = false;
    do {
      try {
        look(punctual, table);
        away = false;
      } catch (StoreUnavailableException e) {
        if (!away) {
          table.leave();
          console().say(e.getMessage() + "; trying again");
        }
        away = true;
      }
    } while (goesOn());
    return ExitCode.OK;
  }

  private void look(Punctual punctual, WatchTable table) {
    if (!queues.isEmpty()) {
      table.show(
          queues.stream()
              .map(name -> QueueCounts.of(punctual.queue(name, new RawCodec())))
              .map(WatchSample::of)
              .toList(),
          "");
      return;
    }
    List<QueueInfo> all = new QueuePages(punctual, prefix).all(order, read -> {});
    table.show(
        all.stream().limit(limit).map(QueueCounts::of).map(WatchSample::of).toList(),
        note(all.size()));
  }

  private String note(int all) {
    if (all == 0) {
      return prefix.isEmpty() ? "There are no queues yet" : "No queue begins with " + prefix;
    }
    return all <= limit
        ? ""
        : String.format(
            Locale.ROOT,
            "%s of %s queues, by %s; --limit, --sort and --prefix show others",
            Numbers.grouped(limit),
            Numbers.grouped(all),
            EnumNames.of(order));
  }

  /**
   * Waits for the interval. Returns false if the user ends the command or the reader of the output
   * is gone.
   */
  private boolean goesOn() throws InterruptedException {
    if (console().out().isReaderGone()) {
      return false;
    }
    try {
      Object unused = console().stop().asked().get(interval.toMillis(), TimeUnit.MILLISECONDS);
      return false;
    } catch (TimeoutException next) {
      return true;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
