package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputOption;
import io.punctual.cli.output.ProgressLine;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "queues",
    description =
        "Lists the queues, with the number of messages in each state, and how overdue they are.",
    mixinStandardHelpOptions = true)
public final class QueuesCommand extends StoreCommand {
  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "List only queues whose names begin with this text.")
  private String prefix;

  @Option(
      names = "--after",
      paramLabel = "QUEUE",
      defaultValue = "",
      description = "List only queues after this name.")
  private String after;

  @Option(
      names = "--limit",
      paramLabel = "N",
      converter = Positive.IntConverter.class,
      description = "The most queues to list (default: all).")
  private int limit = Integer.MAX_VALUE;

  @Option(
      names = "--sort",
      paramLabel = "ORDER",
      defaultValue = "name",
      completionCandidates = QueueOrder.Names.class,
      description =
          "name; overdue: the longest overdue first; or ready, pending or dead: the most messages"
              + " first (default: ${DEFAULT-VALUE}).")
  private QueueOrder order;

  @Mixin private OutputOption output;

  @Override
  public void checkUsage() {
    if (order != QueueOrder.NAME && !after.isEmpty()) {
      throw wrongUsage("--after needs the order of names; use --limit with --sort");
    }
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(Punctual punctual) {
    UnworkedQueues unworked = new UnworkedQueues(punctual);
    try (Listing<QueueCounts> listing =
        new Listing<>(console(), output.format(), QueueCounts.FIELDS)) {
      list(new QueuePages(punctual, prefix), listing, unworked);
      listing.end();
    }
    unworked.tell(console());
    return ExitCode.OK;
  }

  private void list(QueuePages pages, Listing<QueueCounts> listing, UnworkedQueues unworked) {
    try (ProgressLine line = ProgressLine.besideData(console())) {
      if (order != QueueOrder.NAME) {
        List<QueueInfo> all = pages.all(order, read -> show(line, read));
        all.forEach(queue -> unworked.add(queue.name(), queue.counts()));
        all.stream().limit(limit).forEach(queue -> listing.add(QueueCounts.of(queue)));
        if (all.size() > limit) {
          console().say(Numbers.grouped(all.size() - limit) + " more queues");
        }
        return;
      }
      AtomicInteger read = new AtomicInteger();
      pages
          .read(
              after,
              limit,
              queue -> {
                listing.add(QueueCounts.of(queue));
                unworked.add(queue.name(), queue.counts());
                show(line, read.incrementAndGet());
              })
          .ifPresent(
              last -> console().say("There are more queues; --after " + last + " shows the next"));
    }
  }

  private static void show(ProgressLine line, int read) {
    if (read % 100 == 0) {
      line.show(Numbers.grouped(read) + " queues counted");
    }
  }
}
