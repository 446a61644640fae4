package io.punctual.benchmarks.report;

import io.punctual.benchmarks.Report;
import io.punctual.benchmarks.Result;
import io.punctual.benchmarks.TrialFailure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** The results as JSON lines: the run, then each figure. */
public final class JsonReport {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private JsonReport() {}

  /** Renders the report. */
  public static String render(Report report) {
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("subject", report.subject());
    run.put("quick", report.quick());
    run.put("rounds", report.rounds());
    run.put("machine", report.machine());
    run.put("versions", report.versions());
    run.put("leftOut", report.leftOut());
    run.put("failures", report.failures().stream().map(TrialFailure::text).toList());
    return line(run)
        + report.results().stream()
            .map(result -> line(figure(result)))
            .collect(Collectors.joining());
  }

  static Map<String, Object> figure(Result result) {
    Map<String, Object> figure = new LinkedHashMap<>();
    figure.put("subject", result.subject());
    figure.put("workload", result.workload());
    if (result.size() >= 0) {
      figure.put("size", result.size());
    }
    figure.put("contender", result.contender());
    figure.put("metric", result.metric());
    figure.put("unit", result.unit());
    figure.put("higherIsBetter", result.higherIsBetter());
    figure.put("median", result.median());
    figure.put("spread", result.spread());
    figure.put("rounds", result.rounds());
    if (result.tally() != null) {
      figure.put("tally", result.tally());
    }
    if (result.lateness() != null) {
      figure.put("latenessMicros", result.lateness());
    }
    return figure;
  }

  static String json(Object value) {
    return JSON.writeValueAsString(value);
  }

  private static String line(Object value) {
    return json(value) + "\n";
  }
}
