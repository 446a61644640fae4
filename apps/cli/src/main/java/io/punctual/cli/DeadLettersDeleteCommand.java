package io.punctual.cli;

import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
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
  void checkUsage() {
    super.checkUsage();
    if (confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  boolean mayChange(String which) throws IOException {
    return confirmation.isGiven(console(), "Delete " + which + "?");
  }

  @Override
  DeadLetterOutcome change(DeadLetters<byte[]> letters, String id) {
    return letters.delete(id);
  }

  @Override
  Figure changeAll(DeadLetters<byte[]> letters) {
    return new Figure("deleted", letters.deleteAll());
  }
}
