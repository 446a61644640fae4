package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests random histories on a disk that loses power. A higher value of the property {@code
 * punctual.histories}, 30 by default, runs more histories.
 */
final class PowerLossTest {
  private static final int HISTORIES = Integer.getInteger("punctual.histories", 15);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());

  @Test
  void always_powerLostAnywhere_whatWasConfirmedIsThere() {
    for (int history = 0; history < HISTORIES; history++) {
      run(SEED + history, Fsync.ALWAYS, "");
    }
  }

  /**
   * After a loss of power, the journal must have exactly one of its earlier states, not a mixture
   * of two states.
   */
  @ParameterizedTest
  @ValueSource(strings = {"os", "1ms", "20ms"})
  void laterOrNever_powerLostAnywhere_aMomentOfThePastIsThere(String fsync) {
    for (int history = 0; history < HISTORIES / 3; history++) {
      run(SEED + history, Fsync.parse(fsync), "");
    }
  }

  @Test
  void interval_nothingElseToDo_isForcedAllTheSame() {
    SimulatedDisk disk = new SimulatedDisk(new Random(SEED));
    try (JournalStore store = FailedForceHistory.open(disk, Fsync.parse("30ms"))) {
      Session.of(store, "q").schedule("a", Session.PAST);
      await().atMost(Duration.ofMinutes(1)).until(() -> disk.isSafe("segment-00000002.log"));
      try (JournalStore later = FailedForceHistory.open(disk.afterPowerLoss(), Fsync.ALWAYS)) {
        assertThat(Session.of(later, "q").claimIds()).containsExactly("a");
      }
    }
  }

  private static void run(long seed, Fsync fsync, String forgottenForce) {
    Random random = new Random(seed);
    SimulatedDisk disk = new SimulatedDisk(random);
    disk.ignoreForce(forgottenForce);
    try {
      new PowerLossHistory(random, disk, fsync, 4).run();
    } catch (AssertionError | PunctualException e) {
      throw new AssertionError("With seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /**
   * Turns off a force of the store. A history must then fail; otherwise the histories would not
   * detect that the force is missing.
   */
  @Tag("extended")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "LogWriter.force/file",
        "NextSegment.create/file",
        "NextSegment.create/folder",
        "LogWriter.writeFooter/file",
        "Manifest.write/file",
        "Manifest.write/folder",
        "SegmentWriter.end/file",
        "Compaction.copy/folder",
        "Recovery.copy/file",
        "Recovery.copy/folder"
      })
  void always_aForceIsForgotten_isFound(String place) {
    assertThatThrownBy(
            () -> {
              for (int history = 0; history < 20_000; history++) {
                run(SEED + history, Fsync.ALWAYS, place);
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
