package io.punctual.benchmarks;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one run of a trial gave.
 *
 * @param tally null when the trial does not count messages
 * @param lateness in microseconds; null when the trial does not measure it
 * @param failure why it ended before all was measured; null if it did not
 */
public record Outcome(
    List<Sample> samples,
    @Nullable Tally tally,
    @Nullable Histogram lateness,
    @Nullable Exception failure) {
  /** Of a trial that came to its end. */
  public Outcome(List<Sample> samples, @Nullable Tally tally, @Nullable Histogram lateness) {
    this(samples, tally, lateness, null);
  }

  /** Values only. */
  public static Outcome of(Sample... samples) {
    return new Outcome(List.of(samples), null, null);
  }
}
