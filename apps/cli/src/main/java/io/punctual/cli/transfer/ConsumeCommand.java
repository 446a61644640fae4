package io.punctual.cli.transfer;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Consumes messages when they are due. */
@Command(
    name = "consume",
    description = {
      "Claims messages when they are due and writes each as a line, as 'pipe' does. A message is"
          + " acked after its line is written.",
      "",
      "With --exec, runs a command for each message instead. The payload is on its standard"
          + " input: a JSON string as its text, other payloads unchanged. PUNCTUAL_ID,"
          + " PUNCTUAL_QUEUE and PUNCTUAL_ATTEMPT are in its environment. The message is acked if"
          + " the command ends with 0. Otherwise the failure is written to standard error, with the"
          + " last lines of the command's own, and the message is retried; after the last attempt"
          + " it becomes a dead letter."
    },
    mixinStandardHelpOptions = true)
public final class ConsumeCommand extends QueueCommand {
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST_LEASE = Duration.ofDays(30);

  @Option(
      names = "--max",
      paramLabel = "N",
      converter = Positive.LongConverter.class,
      description = "End after this many deliveries.")
  private long max = Long.MAX_VALUE;

  @Option(
      names = "--exit-when-idle",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description = "End when no message was ready or leased for this long.")
  private @Nullable Duration idle;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = TimeSpan.Converter.class,
      description =
          "After a crash of this process, its messages are delivered again after this time (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration lease;

  @Option(
      names = "--raw",
      description = {
        "Write the payloads only, unchanged, each with a line end. With --exec, a JSON string is not"
            + " turned into its text."
      })
  private boolean raw;

  @Mixin private ExecOptions exec;

  @Override
  public WhenMissing whenMissing() {
    return WhenMissing.WAIT;
  }

  @Override
  public void checkUsage() {
    exec.fault()
        .ifPresent(
            fault -> {
              throw wrongUsage(fault);
            });
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw wrongUsage("--lease must be between 1s and 30d");
    }
    if (idle != null && (idle.isNegative() || idle.isZero())) {
      throw wrongUsage("--exit-when-idle must be positive");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) throws InterruptedException {
    IdleWatch watch = new IdleWatch(queue, idle);
    Optional<String> command = exec.command();
    if (command.isEmpty()) {
      writeLines(queue, watch);
    } else {
      new CommandRunner(console(), queue, command.get(), exec.worker(lease, max), raw, max)
          .run(watch);
    }
    return ExitCode.OK;
  }

  private void writeLines(TimedQueue<byte[]> queue, IdleWatch watch) {
    LineConsumer consumer =
        new LineConsumer(
            queue,
            raw ? DeliveryLine::payload : DeliveryLine.on(console()),
            lease,
            console().out(),
            console().stop().asked(),
            LineConsumer.Acks.NONE);
    try {
      long left = max;
      while (left > 0
          && !console().stop().isAsked()
          && !console().out().isReaderGone()
          && !watch.isOver()) {
        int written = consumer.next((int) Math.min(left, LineConsumer.MAX_CLAIM), watch.interval());
        left -= written;
        watch.look(written > 0);
      }
    } finally {
      consumer.awaitAcks();
    }
  }
}
