package io.punctual.cli.migration;

import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Numbers;
import io.punctual.migration.ImportReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * The counts of an import.
 *
 * @param report the report of the import
 */
record ImportRow(ImportReport report) implements Listed {
  String[] labels() {
    List<String> labels = new ArrayList<>(List.of("found", "scheduled", "present", "left"));
    labels.addAll(report.details().keySet());
    labels.addAll(List.of("earliest", "latest", "elapsed"));
    return labels.toArray(String[]::new);
  }

  @Override
  public List<String> cells() {
    List<String> cells =
        new ArrayList<>(
            List.of(
                Numbers.grouped(report.found()),
                Numbers.grouped(report.scheduled()),
                Numbers.grouped(report.present()),
                Numbers.grouped(report.left())));
    report.details().values().forEach(count -> cells.add(Numbers.grouped(count)));
    cells.add(report.earliest().map(Json::instant).orElse(""));
    cells.add(report.latest().map(Json::instant).orElse(""));
    cells.add(String.format(Locale.ROOT, "%.1f s", report.elapsed().toMillis() / 1e3));
    return cells;
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeNumberProperty("found", report.found());
    json.writeNumberProperty("scheduled", report.scheduled());
    json.writeNumberProperty("present", report.present());
    json.writeNumberProperty("left", report.left());
    report.details().forEach((name, count) -> json.writeNumberProperty(camelCase(name), count));
    report.earliest().ifPresent(t -> json.writeStringProperty("earliest", Json.instant(t)));
    report.latest().ifPresent(t -> json.writeStringProperty("latest", Json.instant(t)));
    json.writeNumberProperty("elapsedMillis", report.elapsed().toMillis());
    json.writeBooleanProperty("dryRun", report.dryRun());
    json.writeBooleanProperty("complete", report.complete());
  }

  private static String camelCase(String words) {
    StringBuilder text = new StringBuilder();
    for (String word : words.split(" ", -1)) {
      boolean isFirst = text.length() == 0;
      text.append(isFirst ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return text.toString();
  }
}
