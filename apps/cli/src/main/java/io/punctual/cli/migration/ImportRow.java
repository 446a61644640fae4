package io.punctual.cli.migration;

import io.punctual.cli.output.Fields;
import io.punctual.migration.ImportReport;
import java.util.Locale;

final class ImportRow {
  private ImportRow() {}

  static Fields<ImportReport> fields(ImportReport of) {
    Fields<ImportReport> fields =
        new Fields<ImportReport>()
            .number("found", ImportReport::found)
            .number("scheduled", ImportReport::scheduled)
            .number("present", ImportReport::present)
            .number("left", ImportReport::left);
    for (String name : of.details().keySet()) {
      fields = fields.number(name, camelCase(name), report -> report.details().get(name));
    }
    return fields
        .instantIfAny("earliest", "earliest", ImportReport::earliest)
        .instantIfAny("latest", "latest", ImportReport::latest)
        .cell(
            "elapsed",
            report -> String.format(Locale.ROOT, "%.1f s", report.elapsed().toMillis() / 1e3))
        .json("elapsedMillis", report -> report.elapsed().toMillis())
        .json((json, report) -> json.writeBooleanProperty("dryRun", report.dryRun()))
        .json((json, report) -> json.writeBooleanProperty("complete", report.complete()));
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
