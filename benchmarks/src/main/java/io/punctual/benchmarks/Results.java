package io.punctual.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Collects the outcomes of all rounds. Not safe for use by many threads. */
final class Results {
  private static final double[] PERCENTILES = {
    0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100
  };

  private final String subject;
  private final Map<List<Object>, Gathered> trials = new LinkedHashMap<>();

  Results(String subject) {
    this.subject = subject;
  }

  /** The outcomes of a trial. */
  private static final class Gathered {
    final Trial trial;
    final Map<String, List<Sample>> samples = new LinkedHashMap<>();
    @Nullable MessageCounts tally;
    @Nullable Histogram lateness;

    Gathered(Trial trial) {
      this.trial = trial;
    }

    void add(TrialOutcome outcome) {
      for (Sample sample : outcome.samples()) {
        samples.computeIfAbsent(sample.metric(), metric -> new ArrayList<>()).add(sample);
      }
      if (outcome.tally() != null) {
        tally = (tally == null ? MessageCounts.NONE : tally).plus(outcome.tally());
      }
      if (outcome.lateness() != null) {
        if (lateness == null) {
          lateness = new Histogram(3);
        }
        lateness.add(outcome.lateness());
      }
    }
  }

  void add(Trial trial, TrialOutcome outcome) {
    trials
        .computeIfAbsent(
            List.of(trial.workload(), trial.size(), trial.contender()), key -> new Gathered(trial))
        .add(outcome);
  }

  List<Result> all() {
    List<Result> results = new ArrayList<>();
    for (Gathered gathered : trials.values()) {
      for (List<Sample> samples : gathered.samples.values()) {
        results.add(result(gathered, samples));
      }
    }
    return results;
  }

  private Result result(Gathered gathered, List<Sample> samples) {
    Trial trial = gathered.trial;
    Sample first = samples.get(0);
    return new Result(
        subject,
        trial.workload(),
        trial.size(),
        trial.contender(),
        first.metric(),
        first.unit(),
        first.higherIsBetter(),
        samples.stream().map(Sample::value).toList(),
        gathered.tally,
        first.metric().equals("lateness p99") ? curve(gathered.lateness) : null);
  }

  private static @Nullable Map<Double, Double> curve(@Nullable Histogram lateness) {
    if (lateness == null) {
      return null;
    }
    Map<Double, Double> curve = new TreeMap<>();
    for (double percentile : PERCENTILES) {
      curve.put(percentile, (double) lateness.getValueAtPercentile(percentile));
    }
    return curve;
  }
}
