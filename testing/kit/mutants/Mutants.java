import io.punctual.kit.simulation.Simulation;
import io.punctual.kit.simulation.RecurringSimulation;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Runs the simulation with the seeds from 1 to the given number, until a run reports a violation.
 * Prints the violation, or exits with status 1 if there is none. Every fourth seed adds a run in
 * which the store loses its last changes, and every twentieth seed a run with recurring messages.
 */
final class Mutants {
  private Mutants() {}

  public static void main(String[] args) {
    int seeds = Integer.parseInt(args[0]);
    for (long seed = 1; seed <= seeds; seed++) {
      look(seed, one -> Simulation.run(one).complaints());
      if (seed % 4 == 0) {
        look(seed / 4, one -> Simulation.runWithRollbacks(one).complaints());
      }
      if (seed % 20 == 1) {
        look(seed, one -> RecurringSimulation.run(one).complaints());
      }
    }
    System.exit(1);
  }

  private static void look(long seed, LongFunction<List<String>> run) {
    String found;
    try {
      List<String> complaints = run.apply(seed);
      if (complaints.isEmpty()) {
        return;
      }
      found = complaints.get(0);
    } catch (RuntimeException | Error stopped) {
      found = stopped.getMessage();
    }
    System.out.println("seed " + seed + ": " + found);
    System.exit(0);
  }
}
