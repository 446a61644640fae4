package io.punctual.lock.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
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

  @Test
  void missed_threadIsPausedBetweenTheClocks_isNothing() {
    AtomicInteger pauses = new AtomicInteger(2);
    LongSupplier wallThenPause =
        () -> {
          long wall = wallMillis;
          if (pauses.getAndDecrement() > 0) {
            pass(Duration.ofSeconds(10), Duration.ofSeconds(10));
          }
          return wall;
        };
    ElapsedTime paused = new ElapsedTime(wallThenPause, () -> nanoTime);
    assertThat(paused.missedNanos()).isZero();
    pauses.set(1);
    assertThat(paused.missedNanos()).isZero();
    assertThat(paused.missedNanos()).isZero();
  }
}
