package io.punctual.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.Report;
import io.punctual.benchmarks.Result;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialFailure;
import io.punctual.benchmarks.TrialOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class ReportTest {
  private static final Result RESULT =
      new Result(
          "queue",
          "steady</script>",
          1_000,
          "Punctual",
          "lateness p99",
          "ms",
          false,
          List.of(3.0, 1.0, 2.0, 9.0),
          new MessageCounts(10, 1, 0, 2),
          Map.of(50.0, 1_000.0));
  private static final Report REPORT =
      new Report(
          "queue",
          true,
          4,
          "machine",
          List.of("Redis 7"),
          List.of("a: apt-get install a"),
          List.of(failure("Redisson RDelayedQueue")),
          List.of("Punctual"),
          List.of(RESULT));

  @Test
  void medianAndSpread_evenNumberOfRounds_areInterpolated() {
    assertThat(RESULT.median()).isEqualTo(2.5);
    assertThat(RESULT.spread()).isEqualTo((4.5 - 1.75) / 2 / 2.5, within(1e-9));
  }

  @Test
  void json_report_isOneObjectALine() {
    List<String> lines = JsonReport.render(REPORT).lines().toList();

    assertThat(lines).hasSize(2);
    JsonNode figure = JsonMapper.shared().readTree(lines.get(1));
    assertThat(figure.get("median").asDouble()).isEqualTo(2.5);
    assertThat(figure.get("tally").get("lost").asLong()).isEqualTo(1);
  }

  @Test
  void table_report_tellsFaultsAndWhatIsMissing() {
    assertThat(TableReport.render(REPORT))
        .contains("steady</script>, 1,000: lateness p99 (ms)")
        .contains("of 10: 1 lost, 0 early, 2 duplicates")
        .contains("left out: a: apt-get install a")
        .contains("FAILED: steady, Redisson RDelayedQueue: java.io.IOException: b broke");
  }

  @Test
  void isSound_goesByPunctualAlone() {
    assertThat(report(List.of(), "Punctual", new MessageCounts(10, 0, 0, 2)).isSound()).isTrue();
    assertThat(report(List.of(), "Punctual", new MessageCounts(10, 1, 0, 0)).isSound()).isFalse();
    assertThat(report(List.of(), "Punctual", new MessageCounts(10, 0, 1, 0)).isSound()).isFalse();
    assertThat(report(List.of(), "DelayQueue", new MessageCounts(10, 0, 0, 0)).isSound()).isFalse();
    MessageCounts none = new MessageCounts(10, 0, 0, 0);
    assertThat(report(List.of(failure("DelayQueue")), "Punctual", none).isSound()).isTrue();
    assertThat(report(List.of(failure("Punctual")), "Punctual", none).isSound()).isFalse();
  }

  private static Report report(List<TrialFailure> failures, String contender, MessageCounts tally) {
    Result result =
        new Result("queue", "drain", -1, contender, "rate", "/s", true, List.of(1.0), tally, null);
    return new Report(
        "queue", true, 1, "machine", List.of(), List.of(), failures, List.of(), List.of(result));
  }

  private static TrialFailure failure(String contender) {
    Trial trial = new Trial("steady", -1, contender, Duration.ZERO, () -> TrialOutcome.of());
    return new TrialFailure(trial, new IOException("b broke"));
  }

  @Test
  void html_report_needsNothingFromOutside() {
    String html = HtmlReport.render(REPORT);

    assertThat(html).contains("Chart.js v4").contains("steady<\\/script>");
    assertThat(html).doesNotContain("steady</script>", "src=\"http", "@import", "/*data*/");
  }
}
