package io.punctual.cli.migration;

import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.Printable;
import io.punctual.cli.output.ProgressLine;
import io.punctual.migration.ImportReport;
import org.jspecify.annotations.Nullable;

/** Shows the counts of an import, and the reason while it waits. Not thread-safe. */
final class ImportProgress {
  private final ProgressLine line;
  private @Nullable ImportReport last;

  ImportProgress(ProgressLine line) {
    this.line = line;
  }

  /** Shows the counts of an import that continues. */
  void counts(ImportReport counts) {
    last = counts;
    line.show(text(counts));
  }

  /**
   * Shows that the import repeats a step. The reason comes first, because the terminal may cut the
   * line. Without a terminal, the log has the reason.
   */
  void waits(String reason) {
    line.show("Waiting: " + Printable.of(reason) + (last == null ? "" : "; " + text(last)));
  }

  /** Returns the last counts, or null if there are none because the first batch did not succeed. */
  @Nullable String last() {
    return last == null ? null : text(last);
  }

  private static String text(ImportReport counts) {
    return Numbers.grouped(counts.found())
        + " found, "
        + Numbers.grouped(counts.scheduled())
        + " scheduled, "
        + Numbers.grouped(counts.left())
        + " left";
  }
}
