package io.punctual.cron;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.simulation.RecurringSimulation;
import io.punctual.kit.simulation.Rhythm;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests recurring messages for simulated weeks, with crashes, with pauses, and with the changes to
 * and from daylight saving time: no occurrence is completed twice, and none is lost except the
 * occurrences that the recurrence skips. With {@code -Dpunctual.recurring=N}, N messages recur for
 * a year, and so do 24 messages in thorough tests. {@code -Dpunctual.seed=S} repeats a run.
 */
class RecurringYearTest {
  private static final boolean WHOLE_YEAR =
      Boolean.getBoolean("punctual.thorough") || Integer.getInteger("punctual.recurring") != null;
  private static final int MESSAGES =
      Integer.getInteger("punctual.recurring", WHOLE_YEAR ? 24 : 12);
  private static final long SEED = Long.getLong("punctual.seed", 1);

  /**
   * By default, the days in which daylight saving time begins in Berlin and New York, and ends on
   * Lord Howe.
   */
  private static final int DAYS = WHOLE_YEAR ? 366 : 45;

  private static final Instant START =
      Instant.parse(WHOLE_YEAR ? "2026-01-01T00:00:00Z" : "2026-02-25T00:00:00Z");
  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("America/New_York"),
          ZoneId.of("Australia/Lord_Howe"),
          ZoneId.of("Asia/Kolkata"));

  private static final Set<DayOfWeek> WEEKEND = EnumSet.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY);

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void weeksAroundClockChanges_completeEachOccurrenceOnce() {
    List<Rhythm> rhythms = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      Rhythm rhythm = rhythm(i);
      rhythms.add(
          switch (i % 10) {
            case 0, 1, 2 -> rhythm.catchUp();
            case 3 -> rhythm.stopOnFailure();
            default -> rhythm;
          });
    }
    RecurringSimulation.Result result =
        RecurringSimulation.run(SEED, START, Duration.ofDays(DAYS), rhythms);
    assertThat(result.complaints()).as(result.toString()).isEmpty();
    assertThat(result.completed()).isGreaterThan(100L * MESSAGES * DAYS / 366);
    assertThat(result.failed()).isPositive();
    assertThat(result.skipped()).isPositive();
    assertThat(result.crashes()).isPositive();
  }

  private Rhythm rhythm(int index) {
    ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
    int hour = random.nextInt(24);
    int minute = random.nextInt(60);
    return switch (index % 12) {
      case 0, 1 -> daily(random.nextInt(1, 4), minute, zone, EnumSet.allOf(DayOfWeek.class));
      case 2, 3, 4 -> daily(hour, minute, zone, EnumSet.allOf(DayOfWeek.class));
      case 5 -> daily(hour, minute, zone, EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY));
      case 6, 7 -> daily(hour, minute, zone, EnumSet.of(DayOfWeek.of(random.nextInt(1, 8))));
      case 8 -> index < 200 ? hourly(minute, zone) : daily(hour, minute, zone, WEEKEND);
      case 9 -> Rhythm.every(Duration.ofHours(12), START.plusSeconds(random.nextInt(43_200)));
      default ->
          Rhythm.every(
              Duration.ofMinutes(random.nextInt(1_000, 10_000)),
              START.plusMillis(random.nextInt(86_400_000)));
    };
  }

  /** Returns a rhythm with a time of the day, on these days of the week. */
  private static Rhythm daily(int hour, int minute, ZoneId zone, Set<DayOfWeek> days) {
    String names =
        days.stream()
            .map(day -> day.name().substring(0, 3))
            .reduce((a, b) -> a + "," + b)
            .orElseThrow();
    UnaryOperator<Instant> following =
        time -> {
          LocalDate day = time.atZone(zone).toLocalDate();
          Instant next;
          do {
            next = at(day, LocalTime.of(hour, minute), zone);
            day = day.plusDays(1);
          } while (!next.isAfter(time) || !days.contains(day.minusDays(1).getDayOfWeek()));
          return next;
        };
    return new Rhythm(
        Cron.of(minute + " " + hour + " * * " + (days.size() == 7 ? "*" : names), zone),
        following.apply(START),
        following);
  }

  /**
   * Returns the instant of a local time; for a time in a skipped hour, returns the instant of the
   * change.
   */
  private static Instant at(LocalDate day, LocalTime time, ZoneId zone) {
    ZonedDateTime moved = day.atTime(time).atZone(zone);
    return moved.toLocalTime().equals(time)
        ? moved.toInstant()
        : zone.getRules().getTransition(day.atTime(time)).getInstant();
  }

  private static Rhythm hourly(int minute, ZoneId zone) {
    UnaryOperator<Instant> following =
        time -> {
          Instant next = time.truncatedTo(ChronoUnit.MINUTES);
          do {
            next = next.plusSeconds(60);
          } while (next.atZone(zone).getMinute() != minute);
          return next;
        };
    return new Rhythm(Cron.of(minute + " * * * *", zone), following.apply(START), following);
  }
}
