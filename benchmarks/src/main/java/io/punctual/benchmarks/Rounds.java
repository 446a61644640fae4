package io.punctual.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs the trials of a subject, in alternating rounds. For a single thread. */
final class Rounds {
  private final String name;
  private final boolean quick;
  private final Subject subject;
  private final List<Trial> trials;
  private final Results results;
  private final List<TrialFailure> failures = new ArrayList<>();

  /** Receives the report so far after each trial, so that an interrupted run keeps its results. */
  @FunctionalInterface
  interface Reader {
    void accept(Report report) throws IOException;
  }

  Rounds(String name, boolean quick, Subject subject, List<Trial> trials) {
    this.name = name;
    this.quick = quick;
    this.subject = subject;
    this.trials = trials;
    results = new Results(name);
  }

  /** Runs all rounds. Returns the complete report. */
  Report run(int count, Reader reader) throws InterruptedException, IOException {
    List<String> versions = subject.versions();
    List<String> leftOut = subject.leftOut();
    Progress progress =
        new Progress(System.err, Boolean.getBoolean("bench.terminal"), total(count));
    Report report = report(0, versions, leftOut);
    for (int round = 1; round <= count; round++) {
      for (Trial trial : trials) {
        progress.begin(round, count, trial);
        run(trial);
        progress.end(trial);
        report = report(round, versions, leftOut);
        reader.accept(report);
      }
    }
    progress.finish();
    return report;
  }

  private Duration total(int count) {
    return trials.stream()
        .map(Trial::expected)
        .reduce(Duration.ZERO, Duration::plus)
        .multipliedBy(count);
  }

  private void run(Trial trial) throws InterruptedException {
    try {
      TrialOutcome outcome = trial.measurement().run();
      results.add(trial, outcome);
      if (outcome.failure() != null) {
        failures.add(new TrialFailure(trial, outcome.failure()));
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(new TrialFailure(trial, e));
    }
  }

  private Report report(int rounds, List<String> versions, List<String> leftOut) {
    return new Report(
        name,
        quick,
        rounds,
        Machine.describe(),
        versions,
        leftOut,
        List.copyOf(failures),
        trials.stream().map(Trial::contender).filter(subject::isPictured).distinct().toList(),
        results.all());
  }
}
