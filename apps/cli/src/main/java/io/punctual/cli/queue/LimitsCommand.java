package io.punctual.cli.queue;

import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.Rate;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.view.LimitsView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the limits of a queue, or changes them. */
@Command(
    name = "limits",
    description = {
      "Shows the limits of a queue, or changes them for all workers in all processes.",
      "A limit that no option names stays as it is."
    },
    mixinStandardHelpOptions = true)
public final class LimitsCommand extends QueueReportCommand {
  private static final String NONE = "no limit";

  private static final Fields<QueueLimits> FIELDS =
      new Fields<QueueLimits>()
          .cell("rate", limits -> limits.hasRate() ? rate(limits) : NONE)
          .cell("burst", limits -> limits.hasRate() ? Numbers.grouped(limits.burst()) : NONE)
          .cell(
              "concurrency",
              limits -> limits.hasConcurrency() ? Numbers.grouped(limits.concurrency()) : NONE)
          .view(LimitsView::of);

  @Option(
      names = "--rate",
      paramLabel = "N/TIME",
      converter = Rate.Converter.class,
      description = "How many messages workers receive, such as 100/s, 5/m or 10/30s.")
  private @Nullable Rate rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description =
          "How many messages workers receive at once after a quiet time (default: the messages of a"
              + " tenth of a second, and at least one for each partition).")
  private @Nullable Integer burst;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many messages are leased at the same time.")
  private @Nullable Integer concurrency;

  @Option(names = "--clear", description = "Removes the limits that no other option names.")
  private boolean clear;

  @Override
  public void checkUsage() {
    if (burst != null && rate == null) {
      throw wrongUsage("--burst needs --rate");
    }
    if ((rate != null && rate.messages() < 1) || (concurrency != null && concurrency < 1)) {
      throw wrongUsage(
          "A limit is at least 1; --clear removes the limits, and 'punctual pause' stops all"
              + " deliveries");
    }
  }

  private boolean changes() {
    return rate != null || concurrency != null || clear;
  }

  @Override
  public boolean isReadOnly() {
    return !changes();
  }

  @Override
  public WhenMissing whenMissing() {
    return changes() ? WhenMissing.CREATE : WhenMissing.FAIL;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    if (changes()) {
      try {
        queue.setLimits(changed(clear ? QueueLimits.none() : queue.limits(), queue.partitions()));
      } catch (IllegalArgumentException e) {
        throw wrongUsage(String.valueOf(e.getMessage()));
      }
    }
    Listing.show(console(), format(), FIELDS, queue.limits());
    return ExitCode.OK;
  }

  private QueueLimits changed(QueueLimits before, int partitions) {
    QueueLimits limits = before;
    if (rate != null) {
      int most = burst == null ? Math.max(partitions, rate.burst()) : burst;
      limits = limits.rate(rate.messages(), rate.per(), most);
    }
    return concurrency == null ? limits : limits.concurrency(concurrency);
  }

  private static String rate(QueueLimits limits) {
    return Rate.format(limits.rate(), limits.per());
  }

  static String text(QueueLimits limits) {
    List<String> parts = new ArrayList<>();
    if (limits.hasRate()) {
      parts.add(rate(limits) + " burst " + limits.burst());
    }
    if (limits.hasConcurrency()) {
      parts.add("concurrency " + limits.concurrency());
    }
    return parts.isEmpty() ? "none" : String.join(", ", parts);
  }
}
