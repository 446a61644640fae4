package io.punctual.cli.input;

import io.punctual.Recurrence;
import io.punctual.cron.Cron;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

public final class RecurrenceOption {
  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description = "Repeat the message in this interval, such as 15m.")
  private @Nullable Duration every;

  @Option(
      names = "--cron",
      paramLabel = "EXPR",
      description = "Repeat the message by a cron expression, such as '0 9 * * MON-FRI'.")
  private @Nullable String cron;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "The time zone of --cron, such as Europe/Berlin (default: UTC).")
  private @Nullable String zone;

  @Option(
      names = "--catch-up",
      description = "Deliver missed occurrences, instead of skipping them.")
  private boolean catchUp;

  @Option(
      names = "--stop-on-failure",
      description = "End with an occurrence whose attempts are exhausted: a dead letter.")
  private boolean stopOnFailure;

  public boolean isGiven() {
    return every != null || cron != null || zone != null || catchUp || stopOnFailure;
  }

  /**
   * Returns the recurrence, or empty if the message is not recurring.
   *
   * @throws IllegalArgumentException if the options are not valid
   */
  public Optional<Recurrence> recurrence() {
    if (!isGiven()) {
      return Optional.empty();
    }
    if ((every == null) == (cron == null)) {
      throw new IllegalArgumentException(
          "A recurring message needs either --every or --cron, and not both");
    }
    if (cron == null && zone != null) {
      throw new IllegalArgumentException("--zone is the time zone of --cron; --every has none");
    }
    Recurrence recurrence = cron == null ? Recurrence.every(interval()) : Cron.of(cron, zone());
    recurrence = catchUp ? recurrence.catchUp() : recurrence;
    return Optional.of(stopOnFailure ? recurrence.stopOnFailure() : recurrence);
  }

  private Duration interval() {
    return every == null ? Duration.ZERO : every;
  }

  private ZoneId zone() {
    try {
      return zone == null ? ZoneOffset.UTC : ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + zone + "' is not a time zone; write Europe/Berlin, UTC or +02:00", e);
    }
  }
}
