package io.punctual.server.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The bounds of the bodies of requests, in memory and in time. */
final class BodyBoundsTest {
  private static final long SPAN = Duration.ofSeconds(10).toNanos();
  private static final long RATE = 1_024;

  private final BodyRate rate = new BodyRate(0);

  private boolean isSlow(long second, long length) {
    return rate.isSlow(Duration.ofSeconds(second).toNanos(), length, RATE, SPAN);
  }

  @Test
  void aBodyThatSlowsDown_isSlow_howeverQuicklyItBegan() {
    assertThat(isSlow(1, 60_000_000)).isFalse();
    assertThat(isSlow(11, 60_000_000)).isFalse();
    assertThat(isSlow(21, 60_000_100)).isFalse();
    assertThat(isSlow(22, 60_000_100)).isTrue();
  }

  @Test
  void aSteadyBody_hasTenMinutes() {
    for (long second = 1; second <= 600; second++) {
      assertThat(isSlow(second, second * 2 * RATE)).isFalse();
    }
    assertThat(isSlow(601, 601 * 2 * RATE)).isTrue();
  }

  @Test
  void oneCaller_leavesAQuarterToTheOthers() {
    BodyMemory memory = new BodyMemory(1_000);
    assertThat(memory.take("one", 700)).isTrue();
    assertThat(memory.take("one", 51)).isFalse();
    assertThat(memory.take("one", 50)).isTrue();
    assertThat(memory.take("other", 251)).isFalse();
    assertThat(memory.take("other", 250)).isTrue();
    memory.give("one", 750);
    assertThat(memory.take("", 750)).isTrue();
    assertThat(memory.take("", 1)).isFalse();
  }
}
