package io.punctual.lock.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ElapsedTimeTest {
  private long wallMillis = 1_000_000;
  private long nanoTime = -5_000;
  private final ElapsedTime elapsed = new ElapsedTime(() -> wallMillis, () -> nanoTime);

  private void pass(Duration wall, Duration monotonic) {
    wallMillis += wall.toMillis();
    nanoTime += monotonic.toNanos();
  }

  @Test
  void missed_clocksGoOnTogether_isNothing() {
    pass(Duration.ofHours(1), Duration.ofHours(1));
    assertThat(elapsed.missedNanos()).isZero();
  }

  @Test
  void missed_machineIsSuspendedTwice_isTheSum() {
    pass(Duration.ofSeconds(31), Duration.ofSeconds(1));
    assertThat(elapsed.missedNanos()).isEqualTo(Duration.ofSeconds(30).toNanos());
    pass(Duration.ofSeconds(5), Duration.ZERO);
    assertThat(elapsed.missedNanos()).isEqualTo(Duration.ofSeconds(35).toNanos());
    assertThat(elapsed.missedNanos()).isEqualTo(Duration.ofSeconds(35).toNanos());
  }

  @Test
  void missed_wallClockStepsBackAndIsCorrected_countsOnlyTheStepAhead() {
    pass(Duration.ofMinutes(-1), Duration.ZERO);
    assertThat(elapsed.missedNanos()).isZero();
    pass(Duration.ofSeconds(10), Duration.ZERO);
    assertThat(elapsed.missedNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
  }
}
