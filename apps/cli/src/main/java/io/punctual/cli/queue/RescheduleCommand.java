package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import io.punctual.cli.input.DueOption;
import io.punctual.cli.input.TimeSpan;
import io.punctual.task.MessageChange;
import io.punctual.view.Outcomes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "reschedule",
    description = {
      "Gives waiting messages a new time, earlier or later. Options select messages instead, whose"
          + " times --by shifts."
    },
    mixinStandardHelpOptions = true)
public final class RescheduleCommand extends MessagesCommand {
  @ArgGroup private @Nullable DueOption due;

  @Option(
      names = "--by",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description =
          "Shift the due times of selected messages by this time, such as 6h; --by=-PT6H is"
              + " earlier.")
  private @Nullable Duration by;

  @Override
  public void checkUsage() {
    super.checkUsage();
    if (hasIds() && (due == null || by != null)) {
      throw wrongUsage(
          "Say --in or --at for messages with these ids; --by shifts selected messages");
    }
    if (!hasIds() && (by == null || due != null)) {
      throw wrongUsage(
          "Say --by to shift selected messages; --in and --at need the ids of messages");
    }
    if (by != null && by.toMillis() == 0) {
      throw wrongUsage("--by must be a millisecond or more");
    }
  }

  @Override
  public int changeEach(TimedQueue<byte[]> queue, List<String> ids) {
    DueOption given = Objects.requireNonNull(due);
    return each(ids, id -> queue.reschedule(id, given.due()), Outcomes::of);
  }

  @Override
  public String participle() {
    return "rescheduled";
  }

  @Override
  MessageChange change() {
    return MessageChange.shift(by == null ? Duration.ofMillis(1) : by);
  }
}
