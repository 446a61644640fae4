package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration FIRST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final Random random = new Random(42);

  @Test
  void failed_failuresInARow_doublesThePauseUpToTheLongest() {
    Backoff backoff = new Backoff(FIRST, LONGEST);
    for (int failure = 0; failure < 100; failure++) {
      long bound = Math.min(LONGEST.toNanos(), FIRST.toNanos() << Math.min(failure, 10));
      assertThat(backoff.failed(random)).isBetween(bound / 2, bound);
    }
    assertThat(backoff.failures()).isEqualTo(100);
  }

  @Test
  void failed_manyClientsAtOnce_pauseForDifferentTimes() {
    Set<Long> pauses = new HashSet<>();
    for (int client = 0; client < 200; client++) {
      pauses.add(new Backoff(FIRST, LONGEST).failed(random));
    }
    assertThat(pauses).hasSizeGreaterThan(100);
  }

  @Test
  void reset_nextPauseIsTheFirst() {
    Backoff backoff = new Backoff(FIRST, LONGEST);
    for (int failure = 0; failure < 20; failure++) {
      assertThat(backoff.failed(random)).isPositive();
    }
    backoff.reset();
    assertThat(backoff.failed(random)).isLessThanOrEqualTo(FIRST.toNanos());
  }

  @Test
  void ofCalls_firstFailure_hasNoPause() {
    Backoff backoff = Backoff.ofCalls();
    assertThat(backoff.failed(random)).isZero();
    assertThat(backoff.failed(random)).isBetween(FIRST.toNanos() / 2, FIRST.toNanos());
    backoff.reset();
    assertThat(backoff.failed(random)).isZero();
  }
}
