package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import io.punctual.task.MessageChange;
import io.punctual.view.Outcomes;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "run-now",
    description = "Makes waiting messages due now.",
    mixinStandardHelpOptions = true)
public final class RunNowCommand extends MessagesCommand {
  @Override
  public int changeEach(TimedQueue<byte[]> queue, List<String> ids) {
    return each(ids, queue::runNow, Outcomes::of);
  }

  @Override
  public String participle() {
    return "rescheduled";
  }

  @Override
  MessageChange change() {
    return MessageChange.runNow();
  }
}
