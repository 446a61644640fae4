package io.punctual.benchmarks.report;

import io.punctual.benchmarks.Report;
import io.punctual.benchmarks.Result;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A picture of the rates: a row for each work, with a bar for Punctual and a bar for the fastest
 * peer. The bars of a row are in proportion; the longer bar of each row is equally long.
 */
final class RatioChart {
  private static final double LONGEST_BAR = 160;
  private static final int LINE = 20;
  private static final int ROW = 61;

  private static final String NOTE =
      "×: Punctual's rate to the peer's. Orange: the peer is faster.";

  private static final String STYLE =
      """
      .ratios .ground { fill: #f6f7f9 } .ratios .ours { fill: #2f6fde } .ratios .peer { fill: #a3adb9 }
      .ratios .behind .peer { fill: #d9722e }
      .ratios text { font: 14px system-ui, sans-serif; fill: #3d4856 }
      .ratios .title, .ratios .work { font-weight: 600; fill: #1c2430 }
      .ratios .ratio { font-size: 15px; font-weight: 700; text-anchor: end; fill: #1f5bc4 } .ratios .behind .ratio { fill: #a84c10 }
      @media (prefers-color-scheme: dark) {
        .ratios .ground { fill: #1a2029 } .ratios .ours { fill: #6ea3ff } .ratios .peer { fill: #6b7685 }
        .ratios text { fill: #b7c1ce } .ratios .title, .ratios .work { fill: #e6eaf0 }
        .ratios .ratio { fill: #8cb6ff } .ratios .behind .peer { fill: #e58a4b } .ratios .behind .ratio { fill: #f3a672 }
      }
      """;

  private RatioChart() {}

  /** The rates of a work. */
  private record Row(Result ours, Result peer) {
    /** Returns the row of a work that both Punctual and a peer did, otherwise nothing. */
    static Optional<Row> of(Collection<Result> work) {
      Predicate<Result> isOurs = result -> Report.isOurs(result.contender());
      return work.stream()
          .filter(isOurs)
          .findFirst()
          .flatMap(
              ours ->
                  work.stream()
                      .filter(isOurs.negate())
                      .max(Comparator.comparingDouble(Result::median))
                      .map(peer -> new Row(ours, peer)));
    }

    double ratio() {
      return ours.median() / peer.median();
    }

    double length(Result result) {
      return LONGEST_BAR * result.median() / Math.max(ours.median(), peer.median());
    }
  }

  /**
   * Renders the picture as SVG.
   *
   * @param conditions how the results were measured: the end of the title
   */
  static String render(String conditions, List<Result> results) {
    List<Row> rows = rows(results);
    String units =
        rows.stream().map(row -> row.ours.unit()).distinct().collect(Collectors.joining(", "));
    StringBuilder svg = new StringBuilder();
    int y = 10;
    String title = "Punctual and the fastest peer at each work, in " + units + ": " + conditions;
    for (String line : title.replaceAll("(.{1,46})( |$)", "$1\n").lines().toList()) {
      y += LINE;
      svg.append(text("title", 16, y, line));
    }
    y += LINE;
    svg.append(text("note", 16, y, NOTE));
    for (Row row : rows) {
      svg.append(row(row, name(row.ours, rows), y + 32));
      y += ROW;
    }
    y += 24;
    return rows.isEmpty() ? "" : frame(y, title, svg.toString());
  }

  private static String frame(int height, String title, String content) {
    return String.format(
        Locale.ROOT,
        """
        <svg class="ratios" xmlns="http://www.w3.org/2000/svg" width="540" viewBox="0 0 440 %d" role="img">
        <title>%s</title>
        <style>
        %s</style>
        <rect class="ground" width="440" height="%1$d" rx="8"/>
        %4$s</svg>
        """,
        height,
        escaped(title),
        STYLE,
        content);
  }

  /** Leaves out the works at a rate that the trial sets: those have a lateness. */
  private static List<Row> rows(List<Result> results) {
    Set<String> paced =
        results.stream()
            .filter(result -> result.lateness() != null)
            .map(Result::workload)
            .collect(Collectors.toSet());
    Map<List<Object>, List<Result>> works = new LinkedHashMap<>();
    results.stream()
        .filter(result -> result.higherIsBetter() && result.median() > 0)
        .filter(result -> !paced.contains(result.workload()))
        .forEach(
            result ->
                works
                    .computeIfAbsent(
                        List.of(result.workload(), result.size(), result.metric()),
                        work -> new ArrayList<>())
                    .add(result));
    return works.values().stream().map(Row::of).flatMap(Optional::stream).toList();
  }

  /** A workload with several rates is told by them, any other by its own name. */
  private static String name(Result work, List<Row> rows) {
    boolean several =
        rows.stream()
            .map(row -> row.ours)
            .filter(other -> other.workload().equals(work.workload()))
            .anyMatch(other -> !other.metric().equals(work.metric()));
    String size = work.size() < 1 ? "" : String.format(Locale.ROOT, " · %,d", work.size());
    return (several ? work.metric() : work.workload()) + size;
  }

  private static String row(Row row, String name, int y) {
    return "<g class=\"%s\">\n".formatted(row.ratio() < 1 ? "behind" : "ahead")
        + text("work", 16, y, name)
        + text("ratio", 424, y, "× " + rounded(row.ratio(), 3))
        + bar("ours", row, row.ours, y + 7)
        + bar("peer", row, row.peer, y + 23)
        + "</g>\n";
  }

  private static String bar(String kind, Row row, Result result, int y) {
    return String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"16\" y=\"%d\" width=\"%.1f\" height=\"15\"/>\n",
            kind,
            y,
            row.length(result))
        + text(
            "name",
            22 + (int) row.length(result),
            y + 12,
            result.contender() + " " + rounded(result.median(), 9));
  }

  private static String text(String kind, int x, int y, String text) {
    return String.format(
        Locale.ROOT, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", kind, x, y, escaped(text));
  }

  /** Rounds to whole numbers, or to two digits if those are more, but to at most so many digits. */
  private static String rounded(double value, int digits) {
    int whole = (int) Math.floor(Math.log10(value)) + 1;
    int kept = Math.min(digits, Math.max(2, whole));
    BigDecimal shown = new BigDecimal(value, new MathContext(kept));
    return String.format(Locale.ROOT, "%,." + Math.max(0, kept - whole) + "f", shown);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
