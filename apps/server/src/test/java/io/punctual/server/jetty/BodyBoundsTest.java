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
  void withoutALeastRate_noBodyIsSlow() {
    assertThat(rate.isSlow(Duration.ofHours(5).toNanos(), 1, 0, SPAN)).isFalse();
  }

  @Test
  void aPauseOfTheProcess_isNotChargedToItsClients() {
    LookTime time = new LookTime(-5);
    assertThat(time.look(-5)).isZero();
    assertThat(time.look(1_000_000_000)).isEqualTo(1_000_000_005);
    assertThat(time.look(60_000_000_000L)).isEqualTo(3_000_000_005L);
    assertThat(time.look(61_000_000_000L)).isEqualTo(4_000_000_005L);
  }

  @Test
  void oneCaller_leavesAQuarterToTheOthers() {
    BodyMemory memory = new BodyMemory(1_000);
    assertThat(memory.take("one", 0, 400)).isTrue();
    assertThat(memory.take("one", 0, 300)).isTrue();
    assertThat(memory.take("one", 300, 351)).isFalse();
    assertThat(memory.take("one", 300, 350)).isTrue();
    assertThat(memory.take("other", 0, 251)).isFalse();
    assertThat(memory.take("other", 0, 250)).isTrue();
    memory.give("one", 350);
    memory.give("one", 400);
    assertThat(memory.take("", 0, 100)).isTrue();
    assertThat(memory.take("", 0, 650)).isTrue();
    assertThat(memory.take("", 0, 1)).isFalse();
  }

  @Test
  void theOnlyBodyOfACaller_takesAllThatIsFree() {
    BodyMemory memory = new BodyMemory(1_000);
    assertThat(memory.take("other", 0, 100)).isTrue();
    assertThat(memory.take("one", 0, 600)).isTrue();
    assertThat(memory.take("one", 600, 900)).isTrue();
    assertThat(memory.take("one", 0, 1)).isFalse();
    assertThat(memory.take("one", 900, 901)).isFalse();
    memory.give("one", 900);
    assertThat(memory.take("other", 100, 1_000)).isTrue();
  }
}
