package io.punctual.cli.input;

import io.punctual.Due;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the due time of a message: a delay, or an instant. */
public final class DueOption {
  @Option(
      names = "--in",
      required = true,
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description = "Due after this time, such as 10m.")
  private @Nullable Duration delay;

  @Option(
      names = "--at",
      required = true,
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Due at this instant, such as 2030-01-31T12:00:00Z.")
  private @Nullable Instant instant;

  public Due due() {
    if (instant != null) {
      return Due.at(instant);
    }
    return delay == null ? Due.now() : Due.after(delay);
  }
}
