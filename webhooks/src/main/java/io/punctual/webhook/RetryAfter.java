package io.punctual.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the header {@code Retry-After}: seconds, or a date. */
final class RetryAfter {
  /** The longest time that a target can ask for. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

  private RetryAfter() {}

  /** Returns the time to wait, at most a day; empty if the value is neither form. */
  static Optional<Duration> parse(String value, Instant now) {
    String text = value.strip();
    Duration wait;
    if (SECONDS.matcher(text).matches()) {
      wait = Duration.ofSeconds(Long.parseLong(text));
    } else {
      try {
        Instant until = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        wait = Duration.between(now, until);
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }
    Duration least = wait.isNegative() ? Duration.ZERO : wait;
    return Optional.of(least.compareTo(LONGEST) > 0 ? LONGEST : least);
  }
}
