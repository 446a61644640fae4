package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
      run(SEED + history, Fsync.ALWAYS, name -> false);
    }
  }

  /** What is there is the past as it was at some moment, to the last message. */
  @ParameterizedTest
  @ValueSource(strings = {"os", "1ms", "20ms"})
  void laterOrNever_powerLostAnywhere_aMomentOfThePastIsThere(String fsync) {
    for (int history = 0; history < HISTORIES / 3; history++) {
      run(SEED + history, Fsync.parse(fsync), name -> false);
    }
  }

  @Test
  void interval_nothingElseToDo_isForcedAllTheSame() {
    SimulatedDisk disk = new SimulatedDisk(new Random(SEED));
    try (JournalStore store = FailedForceHistory.open(disk, Fsync.parse("30ms"))) {
      Session.of(store, "q").schedule("a", Session.PAST);
      await().until(() -> disk.isSafe("segment-00000002.log"));
      try (JournalStore later = FailedForceHistory.open(disk.afterPowerLoss(), Fsync.ALWAYS)) {
        assertThat(Session.of(later, "q").claimIds()).containsExactly("a");
      }
    }
  }

  private static void run(long seed, Fsync fsync, Predicate<String> ignoredForces) {
    Random random = new Random(seed);
    SimulatedDisk disk = new SimulatedDisk(random);
    disk.ignoreForce(ignoredForces);
    try {
      new PowerLossHistory(random, disk, fsync, 4).run();
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
                run(SEED + history, Fsync.ALWAYS, left);
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
