package io.punctual.view;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Writes instants and spans as every view has them. */
public final class Values {
  private static final DateTimeFormatter INSTANT =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private Values() {}

  /** Returns an instant in ISO 8601 to the millisecond: {@code 2030-01-31T12:00:00.000Z}. */
  public static String instant(Instant instant) {
    return INSTANT.format(instant);
  }

  /** Returns a span as milliseconds, to the microsecond, without trailing zeros. */
  public static BigDecimal millis(Duration span) {
    return millis(TimeUnit.MICROSECONDS.convert(span));
  }

  /** Returns microseconds as milliseconds, to the microsecond, without trailing zeros. */
  public static BigDecimal millis(long micros) {
    BigDecimal millis = BigDecimal.valueOf(micros, 3).stripTrailingZeros();
    return millis.scale() < 0 ? millis.setScale(0, RoundingMode.UNNECESSARY) : millis;
  }

  /** Returns a span for people, with its two largest units: {@code 2 h 5 min}, {@code 850 ms}. */
  public static String words(Duration span) {
    if (span.compareTo(Duration.ofSeconds(1)) < 0) {
      return span.toMillis() + " ms";
    }
    List<String> parts = new ArrayList<>();
    addPart(parts, span.toDays(), " d");
    addPart(parts, span.toHoursPart(), " h");
    addPart(parts, span.toMinutesPart(), " min");
    addPart(parts, span.toSecondsPart(), " s");
    return String.join(" ", parts.subList(0, Math.min(2, parts.size())));
  }

  private static void addPart(List<String> parts, long number, String unit) {
    if (number > 0) {
      parts.add(number + unit);
    }
  }
}
