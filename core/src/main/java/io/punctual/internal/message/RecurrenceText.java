package io.punctual.internal.message;

import io.punctual.RecurrenceException;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The stored form of a recurrence: version, kind, options and expression, separated by semicolons.
 * Only the expression may contain semicolons. The options are separated by commas. Examples: {@code
 * 1;every;;PT1H} and {@code 1;cron;catch-up,stop;Europe/Berlin 0 9 * * MON-FRI}. Immutable.
 */
public record RecurrenceText(
    String kind, String expression, boolean catchesUp, boolean stopsOnFailure) {
  /** The kind of a fixed interval. */
  public static final String EVERY = "every";

  /** The largest length of an expression, in characters. */
  public static final int EXPRESSION_LENGTH = 1000;

  private static final String VERSION = "1";
  private static final String CATCH_UP = "catch-up";
  private static final String STOP = "stop";
  private static final int PARTS = 4;
  private static final Pattern KIND = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  /** Returns a recurrence without options; rejects a kind or an expression that is not valid. */
  public static RecurrenceText of(String kind, String expression) {
    return new RecurrenceText(kind(kind), expression(expression), false, false);
  }

  /** Returns a fixed interval; rejects one that is not positive, or not in whole milliseconds. */
  public static RecurrenceText every(Duration interval) {
    long millis = DueTime.delayMillis(interval);
    if (millis < 1 || !Duration.ofMillis(millis).equals(interval)) {
      throw new IllegalArgumentException(
          "The interval of a recurrence must be at least a millisecond, and in whole"
              + " milliseconds, but was "
              + interval);
    }
    return new RecurrenceText(EVERY, interval.toString(), false, false);
  }

  private static String kind(String kind) {
    if (!KIND.matcher(kind).matches()) {
      throw new IllegalArgumentException(
          "The kind of a recurrence has a lower-case letter, then up to 31 lower-case letters,"
              + " digits and dashes; it was '"
              + kind
              + "'");
    }
    return kind;
  }

  /** Rejects an expression that is empty, too long, or not printable ASCII. */
  private static String expression(String expression) {
    int length = expression.length();
    if (length == 0
        || length > EXPRESSION_LENGTH
        || !expression.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw new IllegalArgumentException(
          "The expression of a recurrence has 1 to "
              + EXPRESSION_LENGTH
              + " characters of printable ASCII; it was '"
              + expression
              + "'");
    }
    return expression;
  }

  /** Returns the text. */
  public String toText() {
    List<String> options = new ArrayList<>();
    if (catchesUp) {
      options.add(CATCH_UP);
    }
    if (stopsOnFailure) {
      options.add(STOP);
    }
    return String.join(";", VERSION, kind, String.join(",", options), expression);
  }

  /**
   * Parses a text.
   *
   * @throws RecurrenceException if the text is not valid, or has a later version or an unknown
   *     option
   */
  public static RecurrenceText parse(String text) {
    String[] parts = text.split(";", PARTS);
    if (parts.length < PARTS || !parts[0].equals(VERSION)) {
      throw unreadable(text, "it has a later version, or is damaged");
    }
    boolean catchesUp = false;
    boolean stops = false;
    for (String option : parts[2].split(",", -1)) {
      switch (option) {
        case "" -> {}
        case CATCH_UP -> catchesUp = true;
        case STOP -> stops = true;
        default -> throw unreadable(text, "its option '" + option + "' is unknown");
      }
    }
    try {
      return new RecurrenceText(kind(parts[1]), expression(parts[3]), catchesUp, stops);
    } catch (IllegalArgumentException e) {
      throw unreadable(text, String.valueOf(e.getMessage()));
    }
  }

  /** Returns a text for people, for example {@code every PT1H, catch-up}. */
  @Override
  public String toString() {
    return kind
        + " "
        + expression
        + (catchesUp ? ", catch-up" : "")
        + (stopsOnFailure ? ", stop on failure" : "");
  }

  private static RecurrenceException unreadable(String text, String why) {
    return new RecurrenceException("The recurrence '" + text + "' can't be read: " + why);
  }
}
