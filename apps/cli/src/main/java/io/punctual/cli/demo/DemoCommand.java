package io.punctual.cli.demo;

import io.punctual.Punctual;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the demo, checks its result and reports it. */
@Command(
    name = "demo",
    description = {
      "Schedules orders with random time-outs, pays a fifth of them in time, lets a worker close"
          + " the others, and checks that no order was lost, early or delivered twice.",
      "",
      "Without --store, the messages are in a journal in a temporary folder, which is deleted"
          + " afterwards."
    },
    mixinStandardHelpOptions = true)
public final class DemoCommand extends StoreCommand {
  private static final int MOST_MESSAGES = 10_000_000;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "1000",
      description = "The number of orders (default: ${DEFAULT-VALUE}).")
  private int messages;

  @Option(
      names = "--within",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeSpan.Converter.class,
      description = "The longest time-out (default: ${DEFAULT-VALUE}).")
  private Duration within;

  @Option(names = "--json", description = "The summary as JSON; the same as -o json.")
  private boolean json;

  @Mixin private OutputOption output;

  private @Nullable TemporaryFolder folder;

  @Override
  public boolean mayCreateStore() {
    return true;
  }

  /** Creates a temporary folder, and returns the URL of a journal in it. */
  @Override
  public Optional<String> storeByDefault() {
    // This call makes the shutdown wait for the command, so that the command can delete the folder.
    boolean unused = console().stop().isAsked();
    TemporaryFolder made = TemporaryFolder.make("punctual-demo-");
    folder = made;
    return Optional.of("journal:" + made.path());
  }

  @Override
  public void cleanUp() {
    TemporaryFolder made = folder;
    if (made != null) {
      delete(made);
    }
  }

  private void delete(TemporaryFolder made) {
    try {
      made.delete();
    } catch (IOException e) {
      console().say("Can't delete the temporary folder " + made.path() + ": " + e.getMessage());
    }
  }

  @Override
  public void checkUsage() {
    if (json && isGiven("--output") && output.format() == OutputFormat.TABLE) {
      throw wrongUsage("--json and -o table contradict each other; leave one of them out");
    }
    if (messages < 1 || messages > MOST_MESSAGES) {
      throw wrongUsage("--messages must be between 1 and " + MOST_MESSAGES);
    }
    if (within.compareTo(Duration.ofMillis(1)) < 0 || within.compareTo(Duration.ofDays(1)) > 0) {
      throw wrongUsage("--within must be between 1ms and 1d");
    }
  }

  @Override
  public int run(Punctual punctual) throws InterruptedException {
    console()
        .say(
            String.format(
                Locale.ROOT,
                "%s orders in %s, with time-outs of up to %s; one in five is paid before",
                Numbers.grouped(messages),
                punctual.store(),
                TimeSpan.format(within)));
    long begin = System.nanoTime();
    Demo demo = new Demo(console(), punctual, ThreadLocalRandom.current(), messages, within);
    OrderBook book = demo.run();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    if (console().stop().isAsked()) {
      console().say("Interrupted; the demo deleted its queue from " + punctual.store());
      return ExitCode.FAILURE;
    }
    return report(new DemoReport(punctual.store(), book.tally(), book.latenessMicros(), took));
  }

  private int report(DemoReport report) {
    console().out().ignoreReaderGone();
    boolean asJson = json || output.format() != OutputFormat.TABLE;
    console().out().print(asJson ? report.toJson() + "\n" : report.toText(console().terminal()));
    console().out().flush();
    OrderBook.Tally tally = report.tally();
    if (tally.leftBehind() > 0) {
      console().say(tally.leftBehind() + " orders were still in the queue at the end");
    }
    if (tally.unknown() > 0) {
      console().say("The store never answered whether " + tally.unknown() + " were cancelled");
    }
    return tally.isFaultless() ? ExitCode.OK : ExitCode.FAILURE;
  }
}
