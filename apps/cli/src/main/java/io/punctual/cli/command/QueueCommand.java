package io.punctual.cli.command;

import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.output.ExitCode;
import picocli.CommandLine.Parameters;

public abstract class QueueCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  /** The reaction of a command to a queue that does not exist. */
  public enum WhenMissing {
    /** The command creates the queue. */
    CREATE,
    /** The command waits until a different process creates the queue. */
    WAIT,
    /** The command fails. */
    FAIL
  }

  /** Returns how the command reacts to a queue that does not exist. */
  public WhenMissing whenMissing() {
    return WhenMissing.FAIL;
  }

  @Override
  public final int run(Punctual punctual) throws Exception {
    TimedQueue<byte[]> opened;
    try {
      if (whenMissing() != WhenMissing.CREATE && isMissing(punctual)) {
        return ExitCode.NOT_FOUND;
      }
      opened = punctual.queue(queue, new RawCodec());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    return run(punctual, opened);
  }

  /** Does the work of a command that needs the client, too, and returns its exit code. */
  public int run(Punctual punctual, TimedQueue<byte[]> queue) throws Exception {
    return run(queue);
  }

  /** Does the command's work and returns its exit code. */
  public abstract int run(TimedQueue<byte[]> queue) throws Exception;

  /**
   * Returns whether the queue is missing and the command cannot run without it. Writes a line for
   * the user if the queue is missing.
   */
  private boolean isMissing(Punctual punctual) {
    QueueNames names = QueueNames.of(punctual);
    if (names.contain(queue)) {
      return false;
    }
    boolean waits = whenMissing() == WhenMissing.WAIT;
    console()
        .say(
            waits
                ? "There is no queue '" + queue + "' yet; waiting for its first message"
                : names.missing(queue));
    return !waits;
  }
}
