package io.punctual.benchmarks;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a single run of a trial.
 *
 * @param tally the counts of messages; null when the trial does not count them
 * @param lateness in microseconds; null when the trial does not measure it
 * @param failure the reason why the run ended early; null for a complete run
 */
public record TrialOutcome(
    List<Sample> samples,
    @Nullable MessageCounts tally,
    @Nullable Histogram lateness,
    @Nullable Exception failure) {
  /** The outcome of a complete run. */
  public TrialOutcome(
      List<Sample> samples, @Nullable MessageCounts tally, @Nullable Histogram lateness) {
    this(samples, tally, lateness, null);
  }

  /** An outcome with only samples. */
  public static TrialOutcome of(Sample... samples) {
    return new TrialOutcome(List.of(samples), null, null);
  }
}
