package io.punctual.benchmarks;

import java.time.Duration;

/**
 * One contender at one workload: run once in every round, next to its rivals.
 *
 * @param workload what is done; trials of one workload are compared
 * @param size what distinguishes this workload from others of the same name, such as its backlog;
 *     -1 if nothing does
 * @param expected about how long a run takes
 */
public record Trial(
    String workload, long size, String contender, Duration expected, Measurement measurement) {
  /** Does the work once. */
  @FunctionalInterface
  public interface Measurement {
    /** Runs it; an exception is reported as the contender's failure. */
    Outcome run() throws Exception;
  }

  /** For people. */
  public String title() {
    return size < 0 ? workload : "%s, %,d".formatted(workload, size);
  }
}
