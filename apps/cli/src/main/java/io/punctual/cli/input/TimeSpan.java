package io.punctual.cli.input;

import io.punctual.Limits;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses and writes spans of time as people write them, such as {@code 10s}, {@code 1h30m} and
 * PT10S. Also parses instants.
 */
public final class TimeSpan {
  private static final Pattern PART =
      Pattern.compile("\\G(?<number>[0-9]{1,18}(?:\\.[0-9]{1,9})?)(?<unit>ms|[smhdw])");
  private static final Map<String, Long> MILLIS =
      Map.of(
          "ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L, "w", 604_800_000L);
  private static final BigDecimal NANOS_PER_MILLI = BigDecimal.valueOf(1_000_000);

  private TimeSpan() {}

  /**
   * Parses a span of time of less than {@link Limits#DAYS}.
   *
   * @throws IllegalArgumentException if the text is not a span, or the span is too long
   */
  public static Duration parse(String text) {
    Duration span = ofAnyLength(text);
    if (Math.abs(span.toDays()) >= Limits.DAYS) {
      throw new IllegalArgumentException(
          "'" + text + "' is too long; a span of time is shorter than " + Limits.DAYS + " days");
    }
    return span;
  }

  private static Duration ofAnyLength(String text) {
    try {
      return text.matches("[-+]?[Pp].*") ? Duration.parse(text) : sumOfParts(text);
    } catch (DateTimeException | ArithmeticException e) {
      throw unreadable(text);
    }
  }

  private static Duration sumOfParts(String text) {
    Matcher part = PART.matcher(text.toLowerCase(Locale.ROOT));
    BigDecimal millis = BigDecimal.ZERO;
    int end = 0;
    while (part.find()) {
      long unit = MILLIS.getOrDefault(part.group("unit"), 0L);
      millis = millis.add(new BigDecimal(part.group("number")).multiply(BigDecimal.valueOf(unit)));
      end = part.end();
    }
    if (end == 0 || end < text.length()) {
      throw unreadable(text);
    }
    BigDecimal nanos = millis.multiply(NANOS_PER_MILLI);
    BigDecimal[] seconds = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
    return Duration.ofSeconds(seconds[0].longValueExact(), seconds[1].longValue());
  }

  private static IllegalArgumentException unreadable(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a span of time; write 10s, 250ms, 1h30m, 2d or PT10S");
  }

  /**
   * Parses an instant.
   *
   * @throws IllegalArgumentException if the text is not an instant; the message contains the
   *     accepted form
   */
  public static Instant parseInstant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an instant; write 2030-01-31T12:00:00Z or with an offset", e);
    }
  }

  /**
   * Writes a span as a person would, to the millisecond: {@code 1h30m}, {@code 10s}, {@code 250ms}.
   */
  public static String format(Duration span) {
    StringBuilder text = new StringBuilder();
    append(text, span.toDays(), "d");
    append(text, span.toHoursPart(), "h");
    append(text, span.toMinutesPart(), "m");
    append(text, span.toSecondsPart(), "s");
    append(text, span.toMillisPart(), "ms");
    return text.isEmpty() ? "0s" : text.toString();
  }

  private static void append(StringBuilder text, long amount, String unit) {
    if (amount != 0) {
      text.append(amount).append(unit);
    }
  }

  /** Reads an option's span of time. */
  public static final class Converter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return read(text, TimeSpan::parse);
    }
  }

  /** Reads an option's instant. */
  public static final class InstantConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      return read(text, TimeSpan::parseInstant);
    }
  }

  private interface Reading<T> {
    T read(String text);
  }

  private static <T> T read(String text, Reading<T> reading) {
    try {
      return reading.read(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
