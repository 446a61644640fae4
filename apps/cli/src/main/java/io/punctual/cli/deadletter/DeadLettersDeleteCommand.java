package io.punctual.cli.deadletter;

import io.punctual.cli.command.Confirmation;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterTask;
import io.punctual.deadletter.DeadLetters;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Removes dead letters. */
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
  public DeadLetterTask start(DeadLetters<byte[]> letters, DeadLetterFilter filter, int rate) {
    return letters.delete(filter, rate);
  }

  @Override
  public String participle() {
    return "deleted";
  }
}
