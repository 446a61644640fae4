package io.punctual.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoundsTest {
  private final List<Report> reports = new ArrayList<>();

  /** A subject that needs no servers. */
  private record Empty(List<Trial> trials) implements Subject {
    @Override
    public List<String> leftOut() {
      return List.of();
    }

    @Override
    public List<String> versions() {
      return List.of("JDK");
    }

    @Override
    public void close() {}
  }

  private static Trial trial(String contender, Trial.Measurement measurement) {
    return new Trial("drain", -1, contender, Duration.ofSeconds(1), measurement);
  }

  private Report run(Trial... trials) throws Exception {
    Subject subject = new Empty(List.of(trials));
    return new Rounds("queue", true, subject, subject.trials()).run(2, reports::add);
  }

  private static TrialOutcome outcome() {
    return new TrialOutcome(List.of(Sample.rate("delivered", "messages/s", 7)), null, null);
  }

  @Test
  void run_interrupted_hasReportedTheTrialsThatEnded() {
    Trial ends = trial("Punctual", RoundsTest::outcome);
    Trial interrupted =
        trial(
            "peer",
            () -> {
              throw new InterruptedException();
            });
    assertThatThrownBy(() -> run(ends, interrupted)).isInstanceOf(InterruptedException.class);
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).rounds()).isOne();
    assertThat(reports.get(0).results())
        .extracting(Result::contender, Result::median)
        .containsExactly(tuple("Punctual", 7.0));
  }

  @Test
  void run_trialFails_reportsTheFailureAndTheOtherTrials() throws Exception {
    Trial fails =
        trial(
            "peer",
            () -> {
              throw new IllegalStateException("The peer failed");
            });
    Report report = run(fails, trial("Punctual", RoundsTest::outcome));
    assertThat(reports).hasSize(4).last().isEqualTo(report);
    assertThat(report.rounds()).isEqualTo(2);
    assertThat(report.failures()).hasSize(2);
    assertThat(report.results()).extracting(Result::contender).containsExactly("Punctual");
  }
}
