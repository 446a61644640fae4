package io.punctual.kit.simulation;

import io.punctual.kit.history.Breach;
import io.punctual.kit.history.HistoryReport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Runs real clients, workers and sessions on simulated time, with faults that follow from a seed:
 * calls and replies are lost, delayed, repeated and reordered, connections are cut, processes
 * freeze and die, engine clocks step, and sessions are forgotten. Then the faults end, and every
 * message must be settled.
 *
 * <pre>{@code
 * Simulation.Verdict verdict = Simulation.run(42);
 * assertThat(verdict.complaints()).as(verdict.toString()).isEmpty();
 * }</pre>
 *
 * <p>A run takes some milliseconds on the calling thread. The same seed gives the same run.
 */
public final class Simulation {
  /** The breaches that are forbidden even if the store has lost confirmed changes. */
  private static final Set<Breach> NEVER =
      EnumSet.of(Breach.DUPLICATE, Breach.ACKED_UNDONE, Breach.STARTED_LATE, Breach.LOSS_UNNOTICED);

  private Simulation() {}

  /**
   * The result of a run.
   *
   * @param seed the seed
   * @param parameters a readable description of the parameters
   * @param complaints the violations; empty if there are none
   * @param report the result of the history checker
   */
  public record Verdict(
      long seed, String parameters, List<String> complaints, HistoryReport report) {
    /** Keeps a copy of the list. */
    public Verdict {
      complaints = List.copyOf(complaints);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "seed %d: %s%n%s%n%s",
          seed,
          parameters,
          String.join(System.lineSeparator(), complaints),
          report);
    }
  }

  /** Runs with a store that loses no confirmed change: no promise may be broken. */
  public static Verdict run(long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    RunParameters parameters =
        RunParameters.draw(
            new Chance(seeds.split()), prefersBatching(seed), confirming(seed), limited(seed));
    return run(seed, seeds, parameters, EnumSet.allOf(Breach.class));
  }

  /**
   * Runs with a store that sometimes returns to an earlier state, like a fail-over to a replica
   * that missed the last changes. Then confirmed changes may be lost, and completed work may be
   * repeated. But clients must notice the roll-back, continue without help, and respect their
   * leases.
   */
  public static Verdict runWithRollbacks(long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    RunParameters parameters =
        RunParameters.drawWithRollbacks(
            new Chance(seeds.split()), prefersBatching(seed), confirming(seed), limited(seed));
    return run(seed, seeds, parameters, NEVER);
  }

  private static boolean prefersBatching(long seed) {
    return Math.floorMod(seed, 2) == 1;
  }

  private static boolean confirming(long seed) {
    return Math.floorMod(seed, 8) == 3;
  }

  private static boolean limited(long seed) {
    return Math.floorMod(seed, 5) == 2;
  }

  private static Verdict run(
      long seed, SplittableRandom seeds, RunParameters parameters, Set<Breach> forbidden) {
    SimulationRun world = new SimulationRun(seeds, parameters);
    List<String> complaints = new ArrayList<>(world.run());
    HistoryReport report = world.history().checkStrictly();
    for (HistoryReport.Found found : report.breaches()) {
      if (forbidden.contains(found.breach())) {
        complaints.add(found.breach().label() + ": " + found.id() + ": " + found.step());
      }
    }
    return new Verdict(seed, parameters.toString(), complaints, report);
  }
}
