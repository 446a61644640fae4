package io.punctual.cli.queue;

import io.punctual.DeadLetterFilter;
import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetterTask;
import io.punctual.DeadLetters;
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
  public DeadLetterTask start(DeadLetters<byte[]> letters, DeadLetterFilter filter, int rate) {
    return letters.redrive(filter, rate);
  }

  @Override
  public String participle() {
    return "redriven";
  }
}
