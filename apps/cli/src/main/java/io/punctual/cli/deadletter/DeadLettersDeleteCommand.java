package io.punctual.cli.deadletter;

import io.punctual.cli.command.Confirmation;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "delete",
    description = "Removes dead letters for good.",
    mixinStandardHelpOptions = true)
final class DeadLettersDeleteCommand extends DeadLettersCommand {
  @Mixin private Confirmation confirmation;

  @Override
  public void checkUsage() {
    super.checkUsage();
    if (!isDryRun() && confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  public boolean mayChange(String which) throws IOException {
    return confirmation.isGiven(console(), "Delete " + which + "?");
  }

  @Override
  public DeadLetterOutcome change(DeadLetters<byte[]> letters, String id) {
    return letters.delete(id);
  }

  @Override
  public Task<TaskProgress> start(
      DeadLetters<byte[]> letters, DeadLetterFilter filter, TaskOptions options) {
    return letters.delete(filter, options);
  }

  @Override
  public String participle() {
    return "deleted";
  }
}
