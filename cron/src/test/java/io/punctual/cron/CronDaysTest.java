package io.punctual.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Recurrence;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of days of the week that begin or end with Sunday, and many threads that parse. */
final class CronDaysTest {
  /** Returns the days on which an expression matches, in the order from Monday. */
  private static String days(String field) {
    Recurrence cron = Cron.of("0 9 * * " + field, ZoneOffset.UTC);
    Set<DayOfWeek> days = new TreeSet<>();
    Instant next = Instant.parse("2026-11-01T00:00:00Z");
    for (int i = 0; i < 14; i++) {
      next = cron.next(next, next).orElseThrow();
      days.add(next.atZone(ZoneOffset.UTC).getDayOfWeek());
    }
    return days.stream().map(day -> day.name().substring(0, 2)).collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "SUN-THU, MO TU WE TH SU",
    "0-4, MO TU WE TH SU",
    "7-4, MO TU WE TH SU",
    "SUN-SAT, MO TU WE TH FR SA SU",
    "SUN-MON, MO SU",
    "SUN, SU",
    "SUN-SUN, SU",
    "SAT-SUN, SA SU",
    "6-7, SA SU",
    "FRI-SUN, FR SA SU",
    "MON-SUN, MO TU WE TH FR SA SU",
    "0-7, MO TU WE TH FR SA SU",
    "SUN-THU/2, TU TH SU",
    "sun-tue, MO TU SU"
  })
  void range_withSunday_hasItsDays(String field, String expected) {
    assertThat(days(field)).isEqualTo(expected);
  }

  @Test
  void rangeFrom7_inAnotherField_beginsAt7() {
    Instant from = Instant.parse("2026-01-01T00:00:00Z");
    assertThat(Cron.of("7-9 7-9 7-9 7-9 *", ZoneOffset.UTC).next(from, from))
        .hasValue(Instant.parse("2026-07-07T07:07:00Z"));
  }

  @Test
  void range_inAList_hasItsDays() {
    assertThat(days("WED,SUN-MON")).isEqualTo("MO WE SU");
  }

  @ParameterizedTest
  @ValueSource(strings = {"8-2", "FRI-", "-FRI", "FRI-MON-TUE", "MON-FRI/0", "FRI-MON", "5-1"})
  void range_notValid_isRefusedByName(String field) {
    assertThatThrownBy(() -> Cron.of("0 9 * * " + field, ZoneOffset.UTC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("day of week '" + field + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "0 22-2 * * *, hour '22-2'",
    "59-1 * * * *, minute '59-1'",
    "0 0 28-3 * *, day of month '28-3'",
    "0 0 1 NOV-FEB *, month 'NOV-FEB'"
  })
  void range_falling_isRefusedByName(String expression, String named) {
    assertThatThrownBy(() -> Cron.of(expression, ZoneOffset.UTC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }

  @Test
  void of_manyThreads_parseTheSame() {
    List<String> expressions =
        IntStream.range(0, 60).mapToObj(i -> i + " " + i % 24 + " * * SUN-THU").toList();
    Set<String> found = ConcurrentHashMap.newKeySet();
    Instant from = Instant.parse("2026-11-01T00:00:00Z");
    IntStream.range(0, 600)
        .parallel()
        .forEach(
            i -> {
              String expression = expressions.get(i % 60);
              Instant first = Cron.of(expression, ZoneOffset.UTC).first(from).orElseThrow();
              found.add(expression + " " + first);
            });
    assertThat(found).hasSize(60);
  }
}
