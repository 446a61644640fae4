package io.punctual.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.benchmarks.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RatioChartTest {
  private static final Pattern BAR =
      Pattern.compile("<rect class=\"(ours|peer)\" .*width=\"([0-9.]+)\"");

  @Test
  void bars_ofARow_areInProportionToTheFastestPeer() {
    String svg =
        render(
            rate("take", "Punctual on Redis", 300),
            rate("take", "slow", 10),
            rate("take", "fast", 150));

    assertThat(bars(svg)).containsExactly("ours 160.0", "peer 80.0");
    assertThat(svg).contains("× 2.0<", ">fast 150<", "<g class=\"ahead\">").doesNotContain("slow");
  }

  @Test
  void row_whosePeerIsAhead_isShownAndMarked() {
    String svg = render(rate("take", "Punctual", 75), rate("take", "peer", 100));

    assertThat(bars(svg)).containsExactly("ours 120.0", "peer 160.0");
    assertThat(svg).contains("<g class=\"behind\">", "× 0.75<");
  }

  @Test
  void rows_withoutAPeerOrAChoiceOfRate_areLeftOut() {
    Result late = result("steady", "lateness p99", "Punctual", 1, Map.of(50.0, 1_000.0));

    assertThat(
            render(
                rate("alone", "Punctual", 75),
                late,
                rate("steady", "Punctual", 500),
                rate("steady", "peer", 500)))
        .isEmpty();
  }

  @Test
  void names_ofAnyCharacters_areEscaped() {
    String hostile = "</svg><script>\"&";

    String svg = render(rate(hostile, "Punctual" + hostile, 1), rate(hostile, hostile, 2));

    assertThat(svg).doesNotContain("<script", "</svg><").contains("&lt;script&gt;&quot;&amp;");
  }

  /** Writes the picture of the documentation, for a person to copy when the figures change. */
  @Test
  void pictureOfTheDocumentation_showsItsTable() throws IOException {
    Path docs = Path.of("../docs").toAbsolutePath().normalize();
    String section = Files.readString(docs.resolve("benchmarks.md")).split("\n### ", 3)[1];
    List<Result> results =
        section
            .lines()
            .filter(line -> line.matches("\\| .*×.*"))
            .map(line -> line.replaceAll("[*`]", "").split(" *\\| *", -1))
            .flatMap(
                cells ->
                    Stream.of(cell("Punctual", cells, 2), cell("Redisson RDelayedQueue", cells, 3)))
            .toList();

    String svg = RatioChart.render("on Redis 7.0.15, two cores, one to five rounds", results);

    Files.writeString(Path.of("target/queues.svg"), svg);
    assertThat(svg).isEqualTo(Files.readString(docs.resolve("images/queues.svg")));
    assertThat(bars(svg)).hasSize(18);
  }

  private static Result cell(String contender, String[] cells, int column) {
    double rate = Double.parseDouble(cells[column].replace(",", ""));
    return rate(cells[1], contender, rate);
  }

  private static Result rate(String workload, String contender, double rate) {
    return result(workload, "rate", contender, rate, null);
  }

  private static Result result(
      String workload,
      String metric,
      String contender,
      double value,
      @Nullable Map<Double, Double> lateness) {
    boolean isRate = lateness == null;
    return new Result(
        "queue",
        workload,
        -1,
        contender,
        metric,
        "messages/s",
        isRate,
        List.of(value),
        null,
        lateness);
  }

  private static String render(Result... results) {
    return RatioChart.render("one round", List.of(results));
  }

  private static List<String> bars(String svg) {
    return BAR.matcher(svg).results().map(RatioChartTest::bar).toList();
  }

  private static String bar(MatchResult bar) {
    return bar.group(1) + " " + bar.group(2);
  }
}
