package io.punctual.cron;

import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression without a time zone. The library cron-utils parses the expression, and finds
 * matching times in UTC, where no clock changes. Immutable.
 */
@SuppressWarnings("EnumOrdinal") // The constants of Field are in the order of an expression.
final class CronFields {
  /** A field, with the forms that this class passes to the library. */
  private enum Field {
    SECOND("second", "0 to 59", "[0-9*/,-]+"),
    MINUTE("minute", "0 to 59", "[0-9*/,-]+"),
    HOUR("hour", "0 to 23", "[0-9*/,-]+"),
    DAY_OF_MONTH(
        "day of month",
        "1 to 31, L, L-1 to L-27, LW, or 1W to 28W",
        "[0-9*/,-]+|\\?|LW?|L-(?:[1-9]|1[0-9]|2[0-7])|(?:[1-9]|1[0-9]|2[0-8])W"),
    MONTH("month", "1 to 12, or JAN to DEC", "[0-9A-Z*/,-]+"),
    DAY_OF_WEEK(
        "day of week",
        "0 to 7 or SUN to SAT, in rising order; for a single day also forms such as FRIL and"
            + " FRI#2",
        "[0-9*/,-]+|\\?|[0-9A-Z*/,-]*(?:SUN|MON|TUE|WED|THU|FRI|SAT)[0-9A-Z*/,-]*"
            + "|(?:[0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5])");

    private final String title;
    private final String values;
    private final Pattern form;

    Field(String title, String values, String form) {
      this.title = title;
      this.values = values;
      this.form = Pattern.compile(form);
    }
  }

  private static final String ANY = "*";

  /**
   * A Sunday at the beginning of a range. The library knows SUN only as the last day of a week, as
   * 7, which is also the last day in a range such as SAT-SUN.
   */
  private static final Pattern SUNDAY_FIRST = Pattern.compile("(?<=^|,)(?:SUN|7)-(?!SUN\\b|7\\b)");

  private static final CronDefinition DEFINITION =
      CronDefinitionBuilder.defineCron()
          .withSeconds()
          .withValidRange(0, 59)
          .withStrictRange()
          .and()
          .withMinutes()
          .withValidRange(0, 59)
          .withStrictRange()
          .and()
          .withHours()
          .withValidRange(0, 23)
          .withStrictRange()
          .and()
          .withDayOfMonth()
          .withValidRange(1, 31)
          .supportsL()
          .supportsW()
          .supportsLW()
          .withStrictRange()
          .and()
          .withMonth()
          .withValidRange(1, 12)
          .withStrictRange()
          .and()
          .withDayOfWeek()
          .withValidRange(0, 7)
          .withMondayDoWValue(1)
          .withIntMapping(7, 0)
          .supportsL()
          .supportsHash()
          .withStrictRange()
          .and()
          .instance();

  private static final CronParser PARSER = new CronParser(DEFINITION);

  /**
   * The beginning of the search for a first match. The year is a leap year, so that the search soon
   * finds a 29th of February.
   */
  private static final LocalDateTime ANY_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

  private static final int FIELDS = Field.values().length;

  private final String text;
  private final boolean repeats;
  private final ExecutionTime times;

  private CronFields(String text, List<String> fields) {
    this.text = text;
    this.repeats =
        fields.subList(0, Field.DAY_OF_MONTH.ordinal()).stream()
            .anyMatch(field -> field.contains(ANY) || field.contains("/"));
    this.times = ExecutionTime.forCron(parsed(fields));
  }

  /**
   * Parses an expression.
   *
   * @throws IllegalArgumentException if it is not valid, or matches no date
   */
  static CronFields parse(String expression) {
    List<String> given = Arrays.asList(expression.strip().toUpperCase(Locale.ROOT).split("\\s+"));
    if (given.size() != FIELDS && given.size() != FIELDS - 1) {
      throw wrongCount(expression, given);
    }
    List<String> fields = new ArrayList<>(given);
    if (fields.size() < FIELDS) {
      fields.add(0, "0");
    }
    for (Field field : Field.values()) {
      checkForm(expression, field, fields.get(field.ordinal()));
    }
    fields.replaceAll(field -> field.equals("?") ? ANY : field);
    String days = fields.get(Field.DAY_OF_WEEK.ordinal());
    fields.set(Field.DAY_OF_WEEK.ordinal(), SUNDAY_FIRST.matcher(days).replaceAll("0-"));
    CronFields parsed = parse(expression, String.join(" ", given), fields);
    requireOneDay(expression, fields);
    if (parsed.next(ANY_TIME).isEmpty()) {
      throw new IllegalArgumentException(
          "The cron expression '"
              + expression
              + "' never matches: its day of month '"
              + fields.get(Field.DAY_OF_MONTH.ordinal())
              + "' does not exist in its month '"
              + fields.get(Field.MONTH.ordinal())
              + "'; change either of them, or write L for the last day");
    }
    return parsed;
  }

  private static IllegalArgumentException wrongCount(String expression, List<String> given) {
    String remedy =
        given.size() == FIELDS + 1
            ? "; leave out the year, and limit the recurrence by Message.notAfter"
            : "; for example, '0 9 * * MON-FRI' is 9:00 on weekdays";
    int count = expression.isBlank() ? 0 : given.size();
    return new IllegalArgumentException(
        "A cron expression has five fields (minute, hour, day of month, month, day of week), or six"
            + " with the second as the first; '"
            + expression
            + "' has "
            + count
            + remedy);
  }

  private static void checkForm(String expression, Field field, String value) {
    if (!field.form.matcher(value).matches()) {
      throw wrongValue(expression, field, value, "");
    }
  }

  private static CronFields parse(String expression, String text, List<String> fields) {
    try {
      return new CronFields(text, fields);
    } catch (IllegalArgumentException e) {
      for (Field field : Field.values()) {
        check(expression, field, fields);
      }
      throw e;
    }
  }

  /**
   * Rejects a value that is not valid in a field. The exception names the field, which the
   * exception of the library does not.
   */
  private static void check(String expression, Field field, List<String> fields) {
    String value = fields.get(field.ordinal());
    List<String> alone = new ArrayList<>(Collections.nCopies(FIELDS, ANY));
    alone.set(field.ordinal(), value);
    try {
      Cron unused = parsed(alone);
    } catch (IllegalArgumentException e) {
      throw wrongValue(expression, field, value, " (" + reason(e) + ")");
    }
  }

  private static IllegalArgumentException wrongValue(
      String expression, Field field, String value, String why) {
    return new IllegalArgumentException(
        "The "
            + field.title
            + " '"
            + value
            + "' of the cron expression '"
            + expression
            + "' is not valid"
            + why
            + "; write "
            + field.values
            + ", with lists (1,3), ranges (1-3) and steps (*/2)");
  }

  private static String reason(IllegalArgumentException e) {
    return String.valueOf(e.getMessage()).replace("Failed to parse cron expression. ", "");
  }

  private static void requireOneDay(String expression, List<String> fields) {
    if (!fields.get(Field.DAY_OF_MONTH.ordinal()).equals(ANY)
        && !fields.get(Field.DAY_OF_WEEK.ordinal()).equals(ANY)) {
      throw new IllegalArgumentException(
          "The cron expression '"
              + expression
              + "' restricts both the day of month and the day of week, which programs understand"
              + " differently; write * in one of them, and use a second message or a check in the"
              + " handler");
    }
  }

  private static Cron parsed(List<String> fields) {
    return PARSER.parse(String.join(" ", fields)).validate();
  }

  /** Returns the expression in upper case, with single spaces. */
  String text() {
    return text;
  }

  /** Returns whether the second, minute or hour has {@code *} or a step. */
  boolean repeats() {
    return repeats;
  }

  /** Returns the first local time that matches, in whole seconds, after a local time. */
  Optional<LocalDateTime> next(LocalDateTime after) {
    return times
        .nextExecution(ZonedDateTime.of(after, ZoneOffset.UTC))
        .map(ZonedDateTime::toLocalDateTime);
  }
}
