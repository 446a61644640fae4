package io.punctual.cli.transfer;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueCommand;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
          + " the command ends with 0. Otherwise the failure is written to standard error and the"
          + " message is retried; after five attempts it becomes a dead letter."
    },
    mixinStandardHelpOptions = true)
public final class ConsumeCommand extends QueueCommand {
  @Option(
      names = "--max",
      paramLabel = "N",
      description =
          "End after this many deliveries. In a pipe to head, ends with the next message.")
  private long max = Long.MAX_VALUE;

  @Option(
      names = "--exit-when-idle",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description = "End when no message was ready or leased for this long.")
  private @Nullable Duration idle;

  @Option(names = "--exec", paramLabel = "CMD", description = "A command for the shell.")
  private @Nullable String command;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "1",
      description = "The most commands at the same time, 1 to 10,000 (default: ${DEFAULT-VALUE}).")
  private int concurrency;

  @Override
  public WhenMissing whenMissing() {
    return WhenMissing.WAIT;
  }

  @Override
  public void checkUsage() {
    if (max < 1) {
      throw wrongUsage("--max must be positive");
    }
    if (concurrency < 1 || concurrency > 10_000) {
      throw wrongUsage("--concurrency must be between 1 and 10,000");
    }
    if (idle != null && (idle.isNegative() || idle.isZero())) {
      throw wrongUsage("--exit-when-idle must be positive");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) throws InterruptedException {
    IdleWatch watch = new IdleWatch(queue, idle);
    if (command == null) {
      writeLines(queue, watch);
    } else {
      new CommandRunner(console(), queue, command, concurrency, max).run(watch);
    }
    return ExitCode.OK;
  }

  private void writeLines(TimedQueue<byte[]> queue, IdleWatch watch) {
    LineConsumer consumer =
        new LineConsumer(queue, console().out(), console().stop().asked(), LineConsumer.Acks.NONE);
    try {
      long left = max;
      while (left > 0 && !console().stop().isAsked() && !watch.isOver()) {
        int written = consumer.next((int) Math.min(left, LineConsumer.MAX_CLAIM), watch.interval());
        left -= written;
        watch.look(written > 0);
      }
    } finally {
      consumer.awaitAcks();
    }
  }
}
