package io.punctual.benchmarks.memory;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.benchmarks.memory.CallCosts.Costs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The memory store: its calls with many pending messages, a million in a full run, compared with
 * its calls with ten thousand.
 */
public final class MemorySubject implements Subject {
  private static final int FEW = 10_000;
  private static final List<String> HEAP = List.of("-Xms2g", "-Xmx2g");

  /** Enables memory pages of two megabytes, where the system provides them on request. */
  private static final List<String> LARGE_PAGES =
      List.of(
          "-Xms2g", "-Xmx2g", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages");

  private final int many;
  private final int repeats;
  private final Duration expected;

  /** Creates the subject for {@code effort}. */
  public MemorySubject(Effort effort) {
    many = effort.choose(100_000, 1_000_000);
    repeats = effort.choose(1, 3);
    expected = Duration.ofSeconds(effort.choose(10, 45));
  }

  @Override
  public List<Trial> trials() {
    return List.of(
        trial("Punctual memory:", HEAP), trial("Punctual memory:, huge pages", LARGE_PAGES));
  }

  private Trial trial(String contender, List<String> jvmOptions) {
    return new Trial(
        "calls at many pending messages", many, contender, expected, () -> run(jvmOptions));
  }

  private TrialOutcome run(List<String> jvmOptions) throws Exception {
    try (Child child =
        Child.start(
            MemoryChild.class,
            jvmOptions,
            Integer.toString(FEW),
            Integer.toString(many),
            Integer.toString(repeats))) {
      Costs atFew = Costs.of(child.expect());
      Costs atMany = Costs.of(child.expect());
      List<Sample> samples = new ArrayList<>();
      add(samples, "schedule", atFew.schedule(), atMany.schedule());
      add(samples, "cancel", atFew.cancel(), atMany.cancel());
      add(samples, "claim and acknowledge", atFew.claimAndAck(), atMany.claimAndAck());
      return TrialOutcome.of(samples.toArray(Sample[]::new));
    }
  }

  private static void add(List<Sample> samples, String call, double atFew, double atMany) {
    samples.add(Sample.cost(call, "ns", atMany));
    samples.add(
        Sample.cost(String.format(Locale.ROOT, "%s, at %,d pending", call, FEW), "ns", atFew));
    samples.add(Sample.cost(call + ", compared with that", "times", atMany / atFew));
  }

  @Override
  public List<String> leftOut() {
    return List.of();
  }

  @Override
  public List<String> versions() {
    return List.of("JDK " + Runtime.version());
  }

  @Override
  public void close() {
    // Nothing remains to be closed, because each trial has its own process.
  }
}
