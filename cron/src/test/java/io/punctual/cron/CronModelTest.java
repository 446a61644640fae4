package io.punctual.cron;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the occurrences of random expressions with the occurrences that a second implementation
 * finds, {@link CronModel}.
 */
class CronModelTest {
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int EXPRESSIONS = Integer.getInteger("punctual.expressions", 4);

  private final Random random = new Random(SEED);

  /**
   * Each row has a time zone, and the first of some days. If the clocks of the zone change at all,
   * the days are around a change. The clocks of Apia skipped a whole day.
   */
  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin, 2026-03-26",
    "Europe/Berlin, 2026-10-22",
    "America/New_York, 2027-03-11",
    "America/New_York, 2027-11-04",
    "Australia/Lord_Howe, 2026-04-01",
    "Australia/Lord_Howe, 2026-10-01",
    "America/Sao_Paulo, 2018-11-01",
    "America/Sao_Paulo, 2019-02-13",
    "Pacific/Apia, 2011-12-27",
    "Africa/Casablanca, 2026-02-10",
    "Asia/Kolkata, 2026-03-25",
    "UTC, 2028-02-26",
    "+05:45, 2026-12-28",
  })
  void randomExpressions_equalTheModel(String zone, LocalDate first) {
    ZoneRules rules = ZoneId.of(zone).getRules();
    for (int i = 0; i < EXPRESSIONS; i++) {
      String expression = expression();
      int days = expression.endsWith(" * * *") ? 6 : 800;
      List<Instant> expected =
          new ArrayList<>(
              new CronModel(expression).occurrences(first.minusDays(2), days + 4, rules));
      Instant start = first.atTime(LocalTime.of(0, 0)).toInstant(ZoneOffset.UTC);
      Instant end = start.plusSeconds(86_400L * days);
      expected.removeIf(each -> each.isBefore(start) || !each.isBefore(end));
      assertThat(occurrences(expression, rules, start, end))
          .as("%s in %s from %s, seed %d", expression, zone, first, SEED)
          .isEqualTo(expected);
    }
  }

  private static List<Instant> occurrences(
      String expression, ZoneRules rules, Instant start, Instant end) {
    CronTimetable timetable = new CronTimetable(CronFields.parse(expression), rules);
    List<Instant> found = new ArrayList<>();
    Instant next = timetable.first(start).orElseThrow();
    while (next.isBefore(end)) {
      found.add(next);
      next = timetable.next(next, next).orElseThrow();
    }
    return found;
  }

  /** Returns an expression that matches a date in each year. */
  private String expression() {
    String minute = field(0, 59);
    String hour = field(0, 23);
    return minute
        + " "
        + hour
        + switch (random.nextInt(5)) {
          case 0 -> " " + field(1, 28) + " * *";
          case 1 -> " " + random.nextInt(1, 29) + " " + field(1, 12) + " *";
          case 2 -> " * * " + field(0, 7);
          default -> " * * *";
        };
  }

  private String field(int min, int max) {
    int a = random.nextInt(min, max + 1);
    int b = random.nextInt(min, max + 1);
    int low = Math.min(a, b);
    int step = random.nextInt(1, max);
    return switch (random.nextInt(7)) {
      case 0 -> "*";
      case 1 -> "*/" + step;
      case 2 -> low + "-" + Math.max(a, b);
      case 3 -> low + "-" + Math.max(a, b) + "/" + step;
      case 4 -> a + "," + b + "," + random.nextInt(min, max + 1);
      default -> Integer.toString(a);
    };
  }
}
