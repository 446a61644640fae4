package io.punctual.benchmarks;

import java.time.Duration;
import java.util.Locale;

/**
 * A measurement of a contender, which is a product or a variant of it, at a workload. Each round
 * runs the trial once, next to the trials of the other contenders.
 *
 * @param workload the name of the workload; trials of the same workload are compared
 * @param size the parameter that distinguishes workloads of the same name, such as the backlog; -1
 *     if there is none
 * @param expected the approximate duration of a run
 */
public record Trial(
    String workload, long size, String contender, Duration expected, Measurement measurement) {
  /** Performs the measurement once. */
  @FunctionalInterface
  public interface Measurement {
    /** Runs the measurement; an exception is reported as the contender's failure. */
    TrialOutcome run() throws Exception;
  }

  /** A readable title. */
  public String title() {
    return size < 0 ? workload : String.format(Locale.ROOT, "%s, %,d", workload, size);
  }
}
