package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A recurrence: its next occurrences, its limits and its text form. */
class RecurrenceTest {
  private static final Instant NOON = Instant.parse("2026-11-24T12:00:00Z");
  private static final Recurrence HOURLY = Recurrence.every(Duration.ofHours(1));

  @Test
  void next_timesBeyondMilliseconds_areRefused() {
    Recurrence hourly = Recurrence.every(Duration.ofHours(1));
    for (Instant time : List.of(Instant.MIN, Instant.MAX)) {
      assertThatThrownBy(() -> hourly.next(time, Instant.EPOCH))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("292 million years");
      assertThatThrownBy(() -> hourly.next(Instant.EPOCH, time))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void next_skipsThePastAndKeepsTheRhythm() {
    assertThat(HOURLY.next(NOON, NOON)).hasValue(NOON.plus(1, ChronoUnit.HOURS));
    assertThat(HOURLY.next(NOON, NOON.minusSeconds(9))).hasValue(NOON.plus(1, ChronoUnit.HOURS));
    assertThat(HOURLY.next(NOON, NOON.plusSeconds(3 * 3600 + 1)))
        .hasValue(NOON.plus(4, ChronoUnit.HOURS));
    assertThat(HOURLY.next(NOON, NOON.plusSeconds(3 * 3600)))
        .hasValue(NOON.plus(3, ChronoUnit.HOURS));
  }

  @Test
  void next_thatCatchesUp_isTheVeryNext() {
    assertThat(HOURLY.catchUp().next(NOON, NOON.plusSeconds(99_999)))
        .hasValue(NOON.plus(1, ChronoUnit.HOURS));
  }

  @Test
  void next_beyondTheLimitOfDueTimes_isEmpty() {
    Instant last = Instant.EPOCH.plus(Limits.DAYS, ChronoUnit.DAYS).minusSeconds(10);
    assertThat(HOURLY.next(last, last)).isEmpty();
    Recurrence longest = Recurrence.every(Duration.ofDays(Limits.DAYS).minusMillis(1));
    Instant first = Instant.EPOCH.minus(Limits.DAYS, ChronoUnit.DAYS).plusSeconds(10);
    assertThat(longest.next(first, first))
        .hasValue(first.plus(Limits.DAYS, ChronoUnit.DAYS).minusMillis(1));
    assertThat(longest.next(first, last)).isEmpty();
  }

  @Test
  void everyMillisecond_forAThousandYears_isOneStep() {
    Recurrence fast = Recurrence.every(Duration.ofMillis(1));
    assertThat(fast.next(Instant.parse("1000-01-01T00:00:00Z"), NOON)).hasValue(NOON);
  }

  @Test
  void every_refusesFractionsAndNothing() {
    for (Duration wrong :
        new Duration[] {
          Duration.ZERO,
          Duration.ofMillis(-1),
          Duration.ofNanos(1_500_000),
          Duration.ofDays(400_000)
        }) {
      assertThatIllegalArgumentException().isThrownBy(() -> Recurrence.every(wrong));
    }
  }

  @Test
  void text_isReadByParse() {
    for (Recurrence each :
        new Recurrence[] {
          HOURLY,
          HOURLY.catchUp(),
          HOURLY.stopOnFailure().catchUp(),
          Recurrence.of("cron", "0 9 * * MON-FRI; odd")
        }) {
      assertThat(Recurrence.parse(each.text())).isEqualTo(each).hasSameHashCodeAs(each);
    }
    assertThat(HOURLY.catchUp().stopOnFailure().text()).isEqualTo("1;every;catch-up,stop;PT1H");
    assertThat(HOURLY.catchUp()).hasToString("every PT1H, catch-up").isNotEqualTo(HOURLY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "2;every;;PT1H",
        "1;every;PT1H",
        "1;every;fast;PT1H",
        "1;Every;;PT1H",
        "1;every;;"
      })
  void parse_refusesOtherTexts(String text) {
    assertThatExceptionOfType(RecurrenceException.class)
        .isThrownBy(() -> Recurrence.parse(text))
        .withMessageContaining("can't be read");
  }

  @Test
  void unknownKind_isNamedWhenItsTimesAreNeeded() {
    Recurrence lunar = Recurrence.of("lunar", "new moon");
    assertThatExceptionOfType(RecurrenceException.class)
        .isThrownBy(() -> lunar.next(NOON, NOON))
        .withMessageContaining("lunar new moon")
        .withMessageContaining("[every]");
  }

  @Test
  void damagedInterval_isNamed() {
    Recurrence damaged = Recurrence.of("every", "often");
    assertThatExceptionOfType(RecurrenceException.class)
        .isThrownBy(() -> damaged.next(NOON, NOON))
        .withMessageContaining("often");
    Recurrence none = Recurrence.of("every", "PT0S");
    assertThatExceptionOfType(RecurrenceException.class).isThrownBy(() -> none.next(NOON, NOON));
  }

  @Test
  void of_refusesWrongKindsAndExpressions() {
    assertThatIllegalArgumentException().isThrownBy(() -> Recurrence.of("Cron", "x"));
    assertThatIllegalArgumentException().isThrownBy(() -> Recurrence.of("cron", ""));
    assertThatIllegalArgumentException().isThrownBy(() -> Recurrence.of("cron", "a\nb"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Recurrence.of("cron", "x".repeat(Recurrence.EXPRESSION_LENGTH + 1)));
  }

  @Test
  void brokenProvider_isNamed(@TempDir Path folder) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(
        services.resolve("io.punctual.spi.RecurrenceProvider"), "com.example.MissingProvider");
    Recurrence lunar = Recurrence.of("lunar", "new moon");
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader broken = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
      thread.setContextClassLoader(broken);
      assertThatExceptionOfType(RecurrenceException.class)
          .isThrownBy(() -> lunar.next(NOON, NOON))
          .withMessageContaining("com.example.MissingProvider");
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
