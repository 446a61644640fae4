package io.punctual.cli.deadletter;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "redrive",
    description = "Makes dead letters due now, with their attempts reset.",
    mixinStandardHelpOptions = true)
final class DeadLettersRedriveCommand extends DeadLettersCommand {
  @Option(
      names = "--payload",
      paramLabel = "TEXT",
      description = "Replace the payload by this text, byte for byte; for a single ID.")
  private @Nullable String payload;

  @Override
  public void checkUsage() {
    super.checkUsage();
    if (payload != null && !isOne()) {
      throw wrongUsage("--payload needs exactly one ID");
    }
  }

  @Override
  public DeadLetterOutcome change(DeadLetters<byte[]> letters, String id) {
    return payload == null
        ? letters.redrive(id)
        : letters.redrive(id, payload.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Task<TaskProgress> start(
      DeadLetters<byte[]> letters, DeadLetterFilter filter, TaskOptions options) {
    return letters.redrive(filter, options);
  }

  @Override
  public String participle() {
    return "redriven";
  }
}
