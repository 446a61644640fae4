package io.punctual.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSpanTest {
  @ParameterizedTest
  @CsvSource({
    "PT10S, PT10S",
    "pt1h, PT1H",
    "10s, PT10S",
    "10S, PT10S",
    "10m, PT10M",
    "1h30m, PT1H30M",
    "250ms, PT0.25S",
    "2d, PT48H",
    "1w, PT168H",
    "1.5s, PT1.5S",
    "0s, PT0S",
    "-PT5S, PT-5S",
    "1m500ms, PT1M0.5S"
  })
  void parse_whatPeopleWrite_isUnderstood(String text, Duration span) {
    assertThat(TimeSpan.parse(text)).isEqualTo(span);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "s",
        "10 s",
        "10x",
        "1h30",
        "PT",
        "P1Y",
        "s10",
        "-5s",
        "1e3s",
        "999999999999999999w"
      })
  void parse_anythingElse_isRefusedWithTheForms(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.parse(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining("1h30m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"365250d", "-PT8766000H", "9999999w"})
  void parse_aThousandYears_isRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.parse(text))
        .withMessageContaining("'" + text + "' is too long");
  }

  @Test
  void parseInstant_withOffset_isUnderstood() {
    assertThat(TimeSpan.parseInstant("2030-01-31T12:00:00+01:00"))
        .isEqualTo(Instant.parse("2030-01-31T11:00:00Z"));
  }

  @Test
  void parseInstant_withoutZone_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.parseInstant("2030-01-31T12:00:00"))
        .withMessageContaining("offset");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10s", "1h30m", "250ms", "2d", "1d1h1m1s1ms", "0s"})
  void format_whatWasParsed_isTheSame(String text) {
    assertThat(TimeSpan.format(TimeSpan.parse(text))).isEqualTo(text);
  }
}
