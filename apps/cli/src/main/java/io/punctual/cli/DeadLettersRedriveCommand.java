package io.punctual.cli;

import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
import picocli.CommandLine.Command;

/** Makes dead letters due now. */
@Command(
    name = "redrive",
    description = "Makes dead letters due now, as if they had never been tried.",
    mixinStandardHelpOptions = true)
final class DeadLettersRedriveCommand extends DeadLettersCommand {
  @Override
  DeadLetterOutcome change(DeadLetters<byte[]> letters, String id) {
    return letters.redrive(id);
  }

  @Override
  Figure changeAll(DeadLetters<byte[]> letters) {
    return new Figure("redriven", letters.redriveAll());
  }
}
