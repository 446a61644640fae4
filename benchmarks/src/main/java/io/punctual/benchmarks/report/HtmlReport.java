package io.punctual.benchmarks.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.benchmarks.Report;
import io.punctual.benchmarks.TrialFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The results as a self-contained HTML file, including the chart library. */
public final class HtmlReport {
  private static final String CHARTS =
      "/META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";

  private HtmlReport() {}

  /** Renders the report. */
  public static String render(Report report) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("subject", report.subject());
    data.put("quick", report.quick());
    data.put("rounds", report.rounds());
    data.put("machine", report.machine());
    data.put("versions", report.versions());
    data.put("leftOut", report.leftOut());
    data.put("failures", report.failures().stream().map(TrialFailure::text).toList());
    data.put("results", report.results().stream().map(JsonReport::figure).toList());
    return read("report.html")
        .replace("/*style*/", read("report.css"))
        .replace("/*charts*/", inScript(read(CHARTS)))
        .replace("/*data*/", inScript(JsonReport.json(data)))
        .replace("/*script*/", read("report.js"))
        .replace("<!--picture-->", picture(report));
  }

  private static String picture(Report report) {
    return RatioChart.render(
        (report.rounds() > 1 ? "medians of " + report.rounds() + " rounds" : "one round")
            + " on the machine below",
        report.results().stream()
            .filter(result -> report.pictured().contains(result.contender()))
            .toList());
  }

  private static String inScript(String text) {
    return text.replace("</", "<\\/");
  }

  private static String read(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is not on the class path");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
