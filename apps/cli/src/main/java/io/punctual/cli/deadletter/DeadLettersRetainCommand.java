package io.punctual.cli.deadletter;

import io.punctual.TimedQueue;
import io.punctual.cli.command.Confirmation;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.deadletter.DeadLetterRetention;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes the oldest dead letters of a queue, by a maximum age, a maximum number, or both. */
@Command(
    name = "retain",
    description = {
      "Keeps the newest dead letters, by --max-age, --max-count or both, and deletes the others for"
          + " good, the oldest first."
    },
    mixinStandardHelpOptions = true)
final class DeadLettersRetainCommand extends QueueReportCommand {
  @Option(
      names = "--max-age",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description = "Delete dead letters that died longer ago than this, such as 90d.")
  private @Nullable Duration maxAge;

  @Option(
      names = "--max-count",
      paramLabel = "N",
      description = "Delete the oldest dead letters of the queue beyond this number.")
  private @Nullable Long maxCount;

  @Mixin private Confirmation confirmation;

  @Override
  public void checkUsage() {
    if (maxAge == null && maxCount == null) {
      throw wrongUsage("Name --max-age, --max-count, or both");
    }
    DeadLetterRetention unused = retention();
    if (confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  private DeadLetterRetention retention() {
    try {
      DeadLetterRetention retention = DeadLetterRetention.KEEP_ALL;
      retention = maxAge == null ? retention : retention.withMaxAge(maxAge);
      return maxCount == null ? retention : retention.withMaxCount(maxCount);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) throws IOException {
    String which =
        (maxAge == null ? "" : "older than " + maxAge)
            + (maxAge == null || maxCount == null ? "" : ", and those ")
            + (maxCount == null ? "" : "beyond the newest " + Numbers.grouped(maxCount));
    if (!confirmation.isGiven(
        console(), "Delete the dead letters of queue '" + queue.name() + "' " + which + "?")) {
      console().say("Nothing was changed");
      return ExitCode.FAILURE;
    }
    long deleted = queue.deadLetters().deleteBeyond(retention());
    Listing.show(console(), format(), "deleted", deleted);
    return ExitCode.OK;
  }
}
