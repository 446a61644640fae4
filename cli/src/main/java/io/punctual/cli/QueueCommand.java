package io.punctual.cli;

import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that works on one queue. */
abstract class QueueCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  @Mixin private OutputOption output;

  @Override
  final int run(Punctual punctual) throws Exception {
    TimedQueue<byte[]> opened;
    try {
      opened = punctual.queue(queue, new RawCodec());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    return run(opened);
  }

  /** Does the command's work and returns its exit code. */
  abstract int run(TimedQueue<byte[]> queue) throws Exception;

  final OutputFormat format() {
    return output.format();
  }

  /** Asks for something about each id, lists what became of it, and returns the exit code. */
  final <E extends Enum<E>> int each(
      List<String> ids, E success, E notFound, Function<String, E> request) {
    int exitCode = ExitCode.OK;
    try (Listing listing = new Listing(console(), format(), "ID", "OUTCOME")) {
      for (String id : ids) {
        E outcome = request.apply(id);
        listing.add(new Outcome(id, outcome));
        if (outcome == notFound) {
          exitCode = ExitCode.NOT_FOUND;
        } else if (outcome != success && exitCode == ExitCode.OK) {
          exitCode = ExitCode.FAILURE;
        }
      }
    }
    return exitCode;
  }
}
