package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import io.punctual.cli.command.Confirmation;
import io.punctual.task.MessageChange;
import io.punctual.view.Outcomes;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "cancel",
    description = {
      "Cancels messages. A leased message is not stopped, but is not delivered again; the exit"
          + " code is then 1. Options select waiting messages instead; leased messages then stay."
    },
    mixinStandardHelpOptions = true)
public final class CancelCommand extends MessagesCommand {
  @Mixin private Confirmation confirmation;

  @Override
  public void checkUsage() {
    super.checkUsage();
    if (!hasIds() && !isDryRun() && confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  public boolean mayChange(String which) throws IOException {
    return hasIds() || confirmation.isGiven(console(), "Cancel " + which + "?");
  }

  @Override
  public int changeEach(TimedQueue<byte[]> queue, List<String> ids) {
    return each(ids, queue::cancel, Outcomes::of);
  }

  @Override
  public String participle() {
    return "cancelled";
  }

  @Override
  MessageChange change() {
    return MessageChange.cancel();
  }
}
