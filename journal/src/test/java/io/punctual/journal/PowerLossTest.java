package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories on a disk that loses power. Set the property {@code punctual.histories} for more
 * than the few that a build takes the time for.
 */
final class PowerLossTest {
  private static final int HISTORIES = Integer.getInteger("punctual.histories", 150);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());

  @Test
  void always_powerLostAnywhere_whatWasConfirmedIsThere() {
    for (int history = 0; history < HISTORIES; history++) {
      run(SEED + history, name -> false);
    }
  }

  private static void run(long seed, Predicate<String> ignoredForces) {
    Random random = new Random(seed);
    SimulatedDisk disk = new SimulatedDisk(random);
    disk.ignoreForce(ignoredForces);
    try {
      new PowerLossHistory(random, disk, Fsync.ALWAYS, 4).run();
    } catch (AssertionError e) {
      throw new AssertionError("With seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /** Without them, the histories above would show nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"segment-", "manifest", ""})
  void always_aForceIsLeftOut_isFound(String file) {
    Predicate<String> left = name -> file.isEmpty() ? name.isEmpty() : name.startsWith(file);
    assertThatThrownBy(
            () -> {
              for (int history = 0; history < 400; history++) {
                run(SEED + history, left);
              }
            })
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void force_fails_nothingIsForcedAgainAndConfirmedStays() {
    for (int history = 0; history < HISTORIES / 5; history++) {
      Random random = new Random(SEED + history);
      SimulatedDisk disk = new SimulatedDisk(random);
      FailedForceHistory.run(random, disk);
      assertThat(disk.forcesAfterFailure()).isZero();
    }
  }
}
