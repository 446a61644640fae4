package io.punctual.cli.queue;

import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
import io.punctual.cli.output.Figure;
import picocli.CommandLine.Command;

/** Makes dead letters due now. */
@Command(
    name = "redrive",
    description = "Makes dead letters due now, with their attempts reset.",
    mixinStandardHelpOptions = true)
final class DeadLettersRedriveCommand extends DeadLettersCommand {
  @Override
  public DeadLetterOutcome change(DeadLetters<byte[]> letters, String id) {
    return letters.redrive(id);
  }

  @Override
  public Figure changeAll(DeadLetters<byte[]> letters) {
    return new Figure("redriven", letters.redriveAll());
  }
}
