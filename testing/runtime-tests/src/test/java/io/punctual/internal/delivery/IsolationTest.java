package io.punctual.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.TestEnvironment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class IsolationTest {
  private final StepTimer timer = new StepTimer();
  private final Isolation isolation = new Isolation(TestEnvironment.of(timer));

  private boolean enters(String id, Duration lease, int unsettled) {
    return isolation.enter(id, 1, timer.nanoTime() + lease.toNanos(), unsettled);
  }

  /** A manual claim with a long lease must not keep the other suspects of the client away. */
  @Test
  void enter_otherSuspectIsHeldForHours_isAdmittedAfterALimitedTime() {
    assertThat(enters("a", Duration.ofHours(12), 2)).isTrue();
    timer.advanceMillis(Duration.ofMinutes(1).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isFalse();
    timer.advanceMillis(Duration.ofMinutes(20).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isTrue();
  }

  @Test
  void enter_otherSuspectHasMoreAttempts_waitsLonger() {
    assertThat(enters("a", Duration.ofHours(12), 4)).isTrue();
    timer.advanceMillis(Duration.ofHours(2).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isFalse();
    isolation.left("a", 1);
    assertThat(enters("b", Duration.ofHours(12), 2)).isTrue();
  }
}
