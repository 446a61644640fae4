package io.punctual.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a metric of a contender at a workload, over all rounds.
 *
 * @param size the workload's size, or -1
 * @param rounds a value for each round that measured the metric
 * @param tally the sums of the counts of all rounds; null when messages are not counted
 * @param lateness microseconds by percentile, over all rounds; null for metrics other than {@code
 *     lateness p99}
 */
public record Result(
    String subject,
    String workload,
    long size,
    String contender,
    String metric,
    String unit,
    boolean higherIsBetter,
    List<Double> rounds,
    @Nullable MessageCounts tally,
    @Nullable Map<Double, Double> lateness) {
  /** The median of the rounds. */
  public double median() {
    return quantile(0.5);
  }

  /** Half the interquartile range, divided by the median; 0 if the median is 0. */
  public double spread() {
    double median = median();
    return median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / 2 / Math.abs(median);
  }

  private double quantile(double share) {
    double[] sorted = rounds.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
