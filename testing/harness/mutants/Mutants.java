import io.punctual.harness.simulation.Simulation;
import java.util.function.LongFunction;

/**
 * Runs the simulation with the seeds from 1 to the given number, until a run reports a violation.
 * Prints the violation, or exits with status 1 if there is none. Every fourth seed adds a run with
 * roll-backs.
 */
final class Mutants {
  private Mutants() {}

  public static void main(String[] args) {
    int seeds = Integer.parseInt(args[0]);
    for (long seed = 1; seed <= seeds; seed++) {
      look(seed, Simulation::run);
      if (seed % 4 == 0) {
        look(seed / 4, Simulation::runWithRollbacks);
      }
    }
    System.exit(1);
  }

  private static void look(long seed, LongFunction<Simulation.Verdict> run) {
    String found;
    try {
      Simulation.Verdict verdict = run.apply(seed);
      if (verdict.complaints().isEmpty()) {
        return;
      }
      found = verdict.complaints().get(0);
    } catch (RuntimeException | Error stopped) {
      found = stopped.getMessage();
    }
    System.out.println("seed " + seed + ": " + found);
    System.exit(0);
  }
}
