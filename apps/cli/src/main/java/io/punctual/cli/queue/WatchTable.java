package io.punctual.cli.queue;

import io.punctual.cli.output.Console;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows the counts of queues. A table on a terminal is rewritten in place; other output gets new
 * lines of text or JSON at each call. Not thread-safe.
 */
final class WatchTable {
  private final Console console;
  private final OutputFormat format;
  private final Map<String, WatchSample> earlier = new HashMap<>();
  private int lines;
  private String said = "";

  WatchTable(Console console, OutputFormat format) {
    this.console = console;
    this.format = format;
  }

  /**
   * Shows these queues.
   *
   * @param note a line about the queues that are not shown, or empty
   */
  void show(List<WatchSample> samples, String note) {
    List<WatchRow> rows = samples.stream().map(this::row).toList();
    if (format == OutputFormat.TABLE && console.terminal().out()) {
      rewrite(rows, note);
      return;
    }
    if (!note.equals(said)) {
      console.say(note);
      said = note;
    }
    if (format == OutputFormat.TABLE) {
      rows.forEach(row -> console.out().println(row.line()));
      console.out().flush();
    } else {
      list(rows);
    }
  }

  private WatchRow row(WatchSample sample) {
    WatchSample before = earlier.put(sample.queue().queue(), sample);
    return new WatchRow(sample, before == null ? 0 : sample.changeSince(before));
  }

  private void rewrite(List<WatchRow> rows, String note) {
    List<String> now = new ArrayList<>();
    if (!rows.isEmpty()) {
      now.addAll(Listing.table(console.terminal(), rows, WatchRow.FIELDS));
    }
    if (!note.isEmpty()) {
      now.addAll(console.terminal().wrapped(note));
    }
    if (lines > 0) {
      console.out().print("\u001b[" + lines + "A\r\u001b[J");
    }
    now.forEach(console.out()::println);
    console.out().flush();
    lines = now.size();
  }

  private void list(List<WatchRow> rows) {
    try (Listing<WatchRow> listing = new Listing<>(console, format, WatchRow.FIELDS)) {
      rows.forEach(listing::add);
      listing.end();
    }
  }

  /** Leaves the current table on the terminal; the next table is written below it. */
  void leave() {
    lines = 0;
  }
}
