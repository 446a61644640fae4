package io.punctual.http.text;

import io.punctual.Limits;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations and instants. */
public final class Times {
  private static final Pattern LONG_YEAR = Pattern.compile("[+-]\\d+-");
  private static final Pattern SHORT = Pattern.compile("(?<number>[0-9]{1,15})(?<unit>ms|[smhd])");
  private static final int LONGEST = 60;

  private Times() {}

  /**
   * Reads a duration: {@code 250ms}, {@code 10s}, {@code 5m}, {@code 2h}, {@code 1d}, or ISO 8601
   * such as {@code PT1M30S}. It is shorter than {@link Limits#DAYS}, so that its milliseconds are a
   * number.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static Duration duration(String text) {
    Duration duration = read(text);
    if (Math.abs(duration.toDays()) >= Limits.DAYS) {
      throw new BadInputException(
          "'" + Names.printable(text) + "' is not shorter than " + Limits.DAYS + " days");
    }
    return duration;
  }

  private static Duration read(String text) {
    Matcher form = SHORT.matcher(text);
    try {
      if (form.matches()) {
        long number = Long.parseLong(form.group("number"));
        return switch (form.group("unit")) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        };
      }
      if (text.length() <= LONGEST && text.startsWith("P")) {
        return Duration.parse(text);
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      // Told below.
    }
    throw new BadInputException(
        "'" + Names.printable(text) + "' is no duration; send one such as 10s, 5m, or PT1M30S");
  }

  /**
   * Reads an instant in ISO 8601, with an offset or Z, and a year of four digits: a time can be
   * added to it.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static Instant instant(String text) {
    if (LONG_YEAR.matcher(text).lookingAt()) {
      throw new BadInputException(
          "'" + Names.printable(text) + "' is out of range: a year has four digits");
    }
    try {
      if (text.length() <= LONGEST) {
        return text.endsWith("Z") ? Instant.parse(text) : OffsetDateTime.parse(text).toInstant();
      }
    } catch (DateTimeException e) {
      // Told below.
    }
    throw new BadInputException(
        "'"
            + Names.printable(text)
            + "' is no instant; send one such as 2030-01-31T12:00:00Z or"
            + " 2030-01-31T13:00:00+01:00");
  }
}
