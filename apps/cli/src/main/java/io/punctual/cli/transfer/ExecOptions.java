package io.punctual.cli.transfer;

import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.cli.input.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for a command that runs for each message. */
final class ExecOptions {
  private static final int DEFAULT_ATTEMPTS = RetryPolicy.DEFAULT.maxAttempts();

  @Option(names = "--exec", paramLabel = "CMD", description = "A command for the shell.")
  private @Nullable String command;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "The most commands at the same time, 1 to 10,000 (default: 1).")
  private @Nullable Integer concurrency;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description = "The attempts after which a message becomes a dead letter (default: 5).")
  private @Nullable Integer maxAttempts;

  @Option(
      names = "--retry-delay",
      paramLabel = "TIME",
      split = ",",
      converter = TimeSpan.Converter.class,
      description =
          "The time until the next attempt, or a list such as 10s,1m,5m; the last time repeats"
              + " (default: up to 1s, doubled for each attempt).")
  private List<Duration> retryDelays = List.of();

  Optional<String> command() {
    return Optional.ofNullable(command);
  }

  /** Returns the error in the options, or empty if the options are valid. */
  Optional<String> fault() {
    boolean any = concurrency != null || maxAttempts != null || !retryDelays.isEmpty();
    if (command == null) {
      return any
          ? Optional.of("--concurrency, --max-attempts and --retry-delay need --exec")
          : Optional.empty();
    }
    if (concurrency != null && (concurrency < 1 || concurrency > 10_000)) {
      return Optional.of("--concurrency must be between 1 and 10,000");
    }
    try {
      Object unused = policy();
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private RetryPolicy policy() {
    RetryPolicy delays =
        retryDelays.isEmpty() ? RetryPolicy.DEFAULT : RetryPolicy.delays(retryDelays);
    return delays.maxAttempts(maxAttempts == null ? DEFAULT_ATTEMPTS : maxAttempts);
  }

  /**
   * Returns the options of the worker that runs the commands.
   *
   * @param max the number of messages after which the worker ends
   */
  WorkerOptions worker(Duration lease, long max) {
    int most = concurrency == null ? 1 : concurrency;
    return WorkerOptions.builder()
        .concurrency((int) Math.min(most, max))
        .lease(lease)
        .retryPolicy(policy())
        .build();
  }
}
