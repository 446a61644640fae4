package io.punctual.cli.transfer;

import io.punctual.DeleteQueueOutcome;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.LineParser;
import io.punctual.cli.input.LineReader;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.input.Spool;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Numbers;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Holds lines back until they are due. */
@Command(
    name = "pipe",
    description = {
      "Reads a message from each line of standard input, and writes it as a line when it is due.",
      "",
      "In:  {\"id\":\"a\",\"delay\":\"10s\",\"payload\":{\"any\":\"JSON\"},\"headers\":{\"k\":\"v\"}}",
      "     with dueAt, an instant, instead of delay if you like; id and headers may be missing.",
      "     payloadBase64, in and out, is a payload that is not text.",
      "Out: {\"id\",\"dueAt\",\"deliveredAt\",\"latenessMillis\",\"attempt\",\"headers\",\"payload\"}",
      "",
      "Ends when all lines are out. A bad line is reported and skipped; the exit code is then"
          + " 1."
    },
    mixinStandardHelpOptions = true)
public final class PipeCommand extends StoreCommand {
  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description =
          "The queue to use; by default a new queue. Messages already in the queue are written as well.")
  private @Nullable String queueName;

  @Option(
      names = "--strict",
      description = "Check the whole input first, and schedule nothing if a line is bad.")
  private boolean strict;

  @Override
  public boolean mayCreateStore() {
    return true;
  }

  @Override
  public Optional<String> storeByDefault() {
    return Optional.of("memory:");
  }

  @Override
  public int run(Punctual punctual) throws IOException, InterruptedException {
    LineParser parser = new LineParser(null, false);
    if (!strict) {
      return pipe(punctual, console().in(), parser);
    }
    try (Spool spool = Spool.of(new LineReader(console().in()), parser, this::complain)) {
      if (spool.badLines() > 0) {
        console().say("Nothing was scheduled; bad lines: " + spool.badLines());
        return ExitCode.FAILURE;
      }
      try (InputStream checked = spool.open()) {
        return pipe(punctual, checked, parser);
      }
    }
  }

  private void complain(long line, String why) {
    console().say("line " + line + " " + why);
  }

  private int pipe(Punctual punctual, InputStream in, LineParser parser)
      throws InterruptedException {
    TimedQueue<byte[]> queue = queue(punctual);
    Pipe pipe = new Pipe(console(), queue, queueName != null);
    boolean scheduledAll;
    boolean leavesLines;
    try {
      scheduledAll = pipe.run(in, parser);
    } finally {
      leavesLines = leavesLines(punctual, queue.name(), pipe);
      if (leavesLines) {
        sayWhereTheRestIs(punctual, queue.name(), pipe.left());
      }
    }
    return scheduledAll && !leavesLines ? ExitCode.OK : ExitCode.FAILURE;
  }

  /**
   * Deletes the queue if it is empty and this run generated its name. Returns whether lines are
   * left that the user must know of. With a memory store, a user who ends the reader of the output
   * expects to lose the lines.
   */
  private boolean leavesLines(Punctual punctual, String queue, Pipe pipe) {
    if (queueName != null) {
      return console().stop().isAsked() && pipe.left() > 0;
    }
    try {
      boolean isEmpty = punctual.deleteQueue(queue) != DeleteQueueOutcome.NOT_EMPTY;
      return !isEmpty && !(pipe.isReaderGone() && isInMemory(punctual));
    } catch (PunctualException e) {
      console().say("The queue " + queue + " of this run stays: " + e.getMessage());
      return pipe.left() > 0;
    }
  }

  private TimedQueue<byte[]> queue(Punctual punctual) {
    long random = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
    String name =
        queueName == null ? "pipe-" + Long.toString(random, Character.MAX_RADIX) : queueName;
    try {
      return punctual.queue(name, new RawCodec());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private void sayWhereTheRestIs(Punctual punctual, String queue, long left) {
    String lines = "Lines that were not written" + (left > 0 ? ": " + Numbers.grouped(left) : "");
    console()
        .say(
            isInMemory(punctual)
                ? lines + "; they are lost, since a memory store keeps nothing"
                : lines
                    + "; to write them when they are due, run 'punctual pipe --queue "
                    + queue
                    + " < /dev/null' on this store");
  }
}
