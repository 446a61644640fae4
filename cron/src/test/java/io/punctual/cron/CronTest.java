package io.punctual.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests cron expressions: their occurrences around changes of the clocks, their errors and their
 * text.
 */
class CronTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** The day on which Berlin's clocks skip the hour from 2:00 to 3:00. */
  private static final String SKIPS = "2026-03-29";

  /** The day on which Berlin's clocks repeat the hour from 2:00 to 3:00. */
  private static final String REPEATS = "2026-10-25";

  private static Instant at(String local, ZoneId zone) {
    return LocalDateTime.parse(local).atZone(zone).toInstant();
  }

  /** Returns the occurrences of a day in Berlin, as times with their offsets. */
  private static List<String> day(String expression, String date) {
    Recurrence cron = Cron.of(expression, BERLIN);
    Instant end = at(date + "T00:00", BERLIN).plusSeconds(86_400 + 3_600);
    List<String> found = new ArrayList<>();
    Instant next = cron.first(at(date + "T00:00", BERLIN)).orElseThrow();
    while (next.isBefore(end) && next.atZone(BERLIN).toLocalDate().toString().equals(date)) {
      found.add(next.atZone(BERLIN).toLocalTime() + next.atZone(BERLIN).getOffset().getId());
      next = cron.next(next, next).orElseThrow();
    }
    return found;
  }

  private static Instant next(String expression, ZoneId zone, String after) {
    return Cron.of(expression, zone).next(at(after, zone), at(after, zone)).orElseThrow();
  }

  @Test
  void weekdays_skipTheWeekend() {
    assertThat(next("0 9 * * MON-FRI", BERLIN, "2026-11-27T09:00"))
        .isEqualTo(at("2026-11-30T09:00", BERLIN));
  }

  @Test
  void dailyTime_keepsItsLocalTimeAcrossBothChanges() {
    assertThat(day("0 9 * * *", SKIPS)).containsExactly("09:00+02:00");
    assertThat(day("0 9 * * *", REPEATS)).containsExactly("09:00+01:00");
  }

  @Test
  void timeInTheSkippedHour_comesAtTheChange() {
    assertThat(day("30 2 * * *", SKIPS)).containsExactly("03:00+02:00");
  }

  @Test
  void severalTimesInTheSkippedHour_comeOnce() {
    assertThat(day("0,30 2,3 * * *", SKIPS)).containsExactly("03:00+02:00", "03:30+02:00");
  }

  @Test
  void timeInTheRepeatedHour_comesOnceInTheFirstPass() {
    assertThat(day("30 2 * * *", REPEATS)).containsExactly("02:30+02:00");
    Instant secondPass = Instant.parse("2026-10-25T01:10:00Z");
    assertThat(Cron.of("30 2 * * *", BERLIN).next(secondPass, secondPass))
        .hasValue(at("2026-10-26T02:30", BERLIN));
  }

  @Test
  void everyHour_leavesOutTheSkippedHour() {
    assertThat(day("30 * * * *", SKIPS))
        .hasSize(23)
        .startsWith("00:30+01:00", "01:30+01:00", "03:30+02:00");
  }

  @Test
  void everyHour_comesInBothPassesOfTheRepeatedHour() {
    assertThat(day("30 * * * *", REPEATS))
        .hasSize(25)
        .startsWith("00:30+02:00", "01:30+02:00", "02:30+02:00", "02:30+01:00", "03:30+01:00");
  }

  @Test
  void everyTenMinutes_hasNoPauseAndNoDoubleAroundChanges() {
    Recurrence cron = Cron.of("*/10 * * * *", BERLIN);
    for (String date : List.of(SKIPS, REPEATS)) {
      Instant next = at(date + "T00:00", BERLIN);
      for (int i = 0; i < 200; i++) {
        assertThat(cron.next(next, next)).hasValue(next.plusSeconds(600));
        next = next.plusSeconds(600);
      }
    }
  }

  @Test
  void everySecond_isExact() {
    Instant last = Instant.parse("2026-10-25T00:59:59Z");
    assertThat(Cron.of("* * * * * *", BERLIN).next(last, last)).hasValue(last.plusSeconds(1));
    assertThat(Cron.of("* * * * * *", BERLIN).next(last, last.plusMillis(1)))
        .hasValue(last.plusSeconds(1));
  }

  @Test
  void zoneWithoutChanges_andOffset() {
    ZoneId kolkata = ZoneId.of("Asia/Kolkata");
    assertThat(next("30 9 * * *", kolkata, "2026-03-29T09:30"))
        .isEqualTo(Instant.parse("2026-03-30T04:00:00Z"));
    assertThat(next("0 0 1 1 *", ZoneOffset.UTC, "2026-01-01T00:00"))
        .isEqualTo(Instant.parse("2027-01-01T00:00:00Z"));
  }

  @Test
  void leapDay_waitsForLeapYears() {
    assertThat(next("0 9 29 2 *", BERLIN, "2096-02-29T09:00"))
        .isEqualTo(at("2104-02-29T09:00", BERLIN));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0 9 L * *; 2026-11-30",
        "0 9 L-2 * *; 2026-11-28",
        "0 9 LW 1 *; 2027-01-29",
        "0 9 15W 11 *; 2027-11-15",
        "0 9 14W 11 *; 2027-11-15",
        "0 9 1W 5 *; 2027-05-03",
        "0 9 * * FRIL; 2026-11-27",
        "0 9 * * 5L; 2026-11-27",
        "0 9 * * FRI#1; 2026-12-04",
        "0 9 * * 7; 2026-11-29",
        "0 9 * * 0; 2026-11-29",
        "0 9 * * 6-7; 2026-11-28",
        "0 9 ? * mon; 2026-11-30",
        "0 0 9 ? DEC *; 2026-12-01",
        "' 0\t9  * JAN,MAR * '; 2027-01-01"
      })
  void specialForms(String expression, String date) {
    assertThat(next(expression, BERLIN, "2026-11-25T09:00")).isEqualTo(at(date + "T09:00", BERLIN));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0 25 * * *; The hour '25'",
        "60 * * * *; The minute '60'",
        "99 0 9 * * *; The second '99'",
        "0 9 32 * *; The day of month '32'",
        "0 9 31W * *; 1W to 28W",
        "0 9 1,L * *; The day of month '1,L'",
        "0 9 L-31 * *; L-1 to L-27",
        "0 9 * 13 *; The month '13'",
        "0 9 * FOO *; JAN to DEC",
        "0 9 * * 8; The day of week '8'",
        "0 9 * * FRI-MON; in rising order",
        "0 9 * * L; The day of week 'L'",
        "0 9 * * MON#6; The day of week 'MON#6'",
        "*/0 * * * *; The minute '*/0'",
        "*/99 * * * *; The minute '*/99'",
        "10-5 * * * *; The minute '10-5'",
        "? * * * *; The minute '?'",
        "1.5 * * * *; The minute '1.5'",
        "-5 * * * *; The minute '-5'",
        "'0,,5 * * * *'; The minute '0,,5'",
        "@daily; for example, '0 9 * * MON-FRI'",
        "'  '; has 0",
        "0 0 9 * * ? 2027; Message.notAfter",
        "0 9 13 * FRI; both the day of month and the day of week",
        "0 9 30 2 *; never matches",
        "0 9 31 4,6,9,11 *; never matches",
        "ä * * * *; The minute"
      })
  void wrongExpression_isRefusedWithFieldAndRemedy(String expression, String named) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Cron.of(expression, BERLIN))
        .withMessageContaining(named)
        .withMessageContaining(expression);
  }

  @Test
  void text_hasTheZoneAndIsReadInAnyProcess() {
    Recurrence cron = Cron.of("0  9 * * mon-fri", BERLIN).catchUp();
    assertThat(cron.text()).isEqualTo("1;cron;catch-up;Europe/Berlin 0 9 * * MON-FRI");
    Instant friday = at("2026-11-27T09:00", BERLIN);
    assertThat(Recurrence.parse(cron.text()).next(friday, friday))
        .hasValue(at("2026-11-30T09:00", BERLIN));
  }

  @Test
  void first_isTheNextMatchAndMayBeNow() {
    Recurrence cron = Cron.of("0 9 * * *", BERLIN);
    assertThat(cron.first(at("2026-11-25T09:00", BERLIN))).hasValue(at("2026-11-25T09:00", BERLIN));
    assertThat(cron.first(at("2026-11-25T09:00:00.001", BERLIN)))
        .hasValue(at("2026-11-26T09:00", BERLIN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Europe/Atlantis 0 9 * * *", "Europe/Berlin 0 9 * *", "Europe/Berlin"})
  void storedExpressionThatThisVersionCannotRead_isNamed(String stored) {
    Instant now = at("2026-11-25T09:00", BERLIN);
    assertThatExceptionOfType(RecurrenceException.class)
        .isThrownBy(() -> Recurrence.of(Cron.KIND, stored).next(now, now))
        .withMessageContaining(stored);
  }

  @Test
  void missedOccurrences_areSkippedOrDelivered() {
    Recurrence cron = Cron.of("0 9 * * *", BERLIN);
    Instant missed = at("2026-03-27T09:00", BERLIN);
    Instant now = at("2026-03-30T10:00", BERLIN);
    assertThat(cron.next(missed, now)).hasValue(at("2026-03-31T09:00", BERLIN));
    assertThat(cron.catchUp().next(missed, now)).hasValue(at("2026-03-28T09:00", BERLIN));
  }
}
