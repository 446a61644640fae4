package io.punctual.benchmarks.report;

import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.Report;
import io.punctual.benchmarks.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The results as text for a terminal. */
public final class TableReport {
  private TableReport() {}

  /** Renders the report. */
  public static String render(Report report) {
    StringBuilder text = new StringBuilder();
    text.append(report.machine()).append(System.lineSeparator());
    text.append(String.join(", ", report.versions())).append(System.lineSeparator());
    grouped(report).forEach((heading, rows) -> appendGroup(text, heading, rows));
    report.leftOut().forEach(line -> appendLine(text, "left out: " + line));
    report.failures().forEach(failure -> appendLine(text, "FAILED: " + failure.text()));
    return text.toString();
  }

  private static Map<String, List<Result>> grouped(Report report) {
    return report.results().stream()
        .collect(
            Collectors.groupingBy(TableReport::heading, LinkedHashMap::new, Collectors.toList()));
  }

  private static String heading(Result result) {
    String size = result.size() < 0 ? "" : String.format(Locale.ROOT, ", %,d", result.size());
    return String.format(
        Locale.ROOT, "%s%s: %s (%s)", result.workload(), size, result.metric(), result.unit());
  }

  private static void appendGroup(StringBuilder text, String heading, List<Result> rows) {
    appendLine(text, "");
    appendLine(text, heading);
    double first = rows.get(0).median();
    for (Result row : rows) {
      appendLine(
          text,
          String.format(
              Locale.ROOT,
              "  %-28s %14s  ±%3.0f %%  %8s  %s",
              row.contender(),
              number(row.median()),
              row.spread() * 100,
              first == 0 ? "" : String.format(Locale.ROOT, "× %.2f", row.median() / first),
              faults(row)));
    }
  }

  private static String faults(Result row) {
    MessageCounts tally = row.tally();
    return tally == null
        ? ""
        : String.format(
            Locale.ROOT,
            "of %,d: %,d lost, %,d early, %,d duplicates",
            tally.scheduled(),
            tally.lost(),
            tally.early(),
            tally.duplicates());
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%,.2f" : "%,.0f", value);
  }

  private static void appendLine(StringBuilder text, String line) {
    text.append(line).append(System.lineSeparator());
  }
}
