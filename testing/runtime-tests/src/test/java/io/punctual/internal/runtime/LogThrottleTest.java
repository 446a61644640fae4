package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogThrottleTest {
  private final StepTimer timer = new StepTimer();
  private final List<Integer> summaries = new ArrayList<>();
  private final LogThrottle throttle = new LogThrottle(timer, summaries::add);

  private int lines(int events) {
    int lines = 0;
    for (int i = 0; i < events; i++) {
      lines += throttle.tryAcquire() ? 1 : 0;
    }
    return lines;
  }

  @Test
  void tryAcquire_storm_tenLinesAMinuteAndTheCountOfTheRest() {
    assertThat(lines(1_000_000)).isEqualTo(10);
    assertThat(summaries).isEmpty();
    timer.advanceMillis(60_000);
    assertThat(summaries).containsExactly(999_990);
    assertThat(lines(20)).isEqualTo(10);
    timer.advanceMillis(120_000);
    assertThat(summaries).containsExactly(999_990, 10);
  }

  @Test
  void tryAcquire_fewLinesForLong_allAreWrittenWithoutASummary() {
    for (int minute = 0; minute < 100; minute++) {
      assertThat(lines(10)).isEqualTo(10);
      timer.advanceMillis(60_000);
    }
    assertThat(summaries).isEmpty();
  }

  @Test
  void tryAcquire_withoutASummary_countsWhatTheCallerHasToReport() {
    LogThrottle reminders = new LogThrottle(1, Duration.ofDays(1));
    assertThat(reminders.tryAcquire()).isTrue();
    assertThat(reminders.tryAcquire()).isFalse();
    assertThat(reminders.tryAcquire()).isFalse();
    assertThat(reminders.takeSkipped()).isEqualTo(2);
    assertThat(reminders.takeSkipped()).isZero();
  }

  @Test
  void tryAcquire_windowHasPassed_allowsTheNextLineAlsoIfLinesWereSkipped() {
    LogThrottle reminders = new LogThrottle(1, Duration.ofNanos(1));
    for (int line = 0; line < 3; line++) {
      await().until(reminders::tryAcquire);
    }
  }
}
