package io.punctual.kit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Runs the simulation with the seeds 1 to {@code -Dpunctual.seeds=N}, and its variants with fewer
 * seeds. {@code -Dpunctual.seed=S} runs only this seed. A failure names its seed, and the same seed
 * repeats the failure.
 */
class SimulationTest {
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");
  private static final int SEEDS = Integer.getInteger("punctual.seeds", THOROUGH ? 250 : 100);

  private static LongStream seeds(int count) {
    Long one = Long.getLong("punctual.seed");
    return one != null ? LongStream.of(one) : LongStream.rangeClosed(1, count);
  }

  private static void assertKept(int seeds, LongFunction<Simulation.Verdict> run) {
    seeds(seeds)
        .forEach(
            seed -> {
              Simulation.Verdict verdict = run.apply(seed);
              assertThat(verdict.complaints()).as(verdict.toString()).isEmpty();
              assertThat(verdict.report().undecided()).as(verdict.toString()).isEmpty();
            });
  }

  @Test
  void run_anySeed_keepsEveryPromise() {
    assertKept(SEEDS, Simulation::run);
  }

  @Test
  void run_storeThatFallsBack_clientsGoOn() {
    assertKept(SEEDS / 4, Simulation::runWithRollbacks);
  }

  @Test
  void run_sameSeedAgain_doesTheSame() {
    for (long seed = 1; seed <= (THOROUGH ? 20 : 8); seed++) {
      assertThat(Simulation.run(seed).toString()).isEqualTo(Simulation.run(seed).toString());
    }
  }

  @Test
  void recurringMessages_completeEachOccurrenceOnce() {
    seeds(4)
        .forEach(
            seed -> {
              RecurringSimulation.Result result = RecurringSimulation.run(seed);
              assertThat(result.complaints()).as(result.toString()).isEmpty();
              assertThat(result.completed()).as(result.toString()).isPositive();
            });
  }

  @Test
  void recurringMessages_sameSeedAgain_doTheSame() {
    assertThat(RecurringSimulation.run(3)).isEqualTo(RecurringSimulation.run(3));
  }
}
