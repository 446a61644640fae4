package io.punctual.cli.output;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * Writes entries in the chosen format. A table is written at the end, when the widths of its
 * columns are known; JSON is written entry by entry. Not thread-safe.
 */
public final class Listing implements AutoCloseable {
  private static final String GAP = "  ";

  private final Stdout out;
  private final Terminal terminal;
  private final OutputFormat format;
  private final List<List<String>> rows = new ArrayList<>();
  private boolean isFirst = true;

  public Listing(Console console, OutputFormat format, String... columns) {
    this.out = console.out();
    this.terminal = console.terminal();
    this.format = format;
    rows.add(List.of(columns));
  }

  /**
   * Writes a single entry: a JSON object, or a line with label and value for each field that is not
   * empty.
   */
  public static void show(Console console, OutputFormat format, Listed thing, String... labels) {
    if (format != OutputFormat.TABLE) {
      console.out().println(object(thing));
    } else {
      Style style = console.terminal().outStyle();
      int width = widthOf(List.of(labels));
      List<String> cells = thing.cells();
      for (int i = 0; i < labels.length; i++) {
        if (!cells.get(i).isEmpty()) {
          show(console, style.faint(Numbers.left(labels[i], width + 2)), width + 2, cells.get(i));
        }
      }
    }
    console.out().flush();
  }

  /**
   * Writes a label and its value. Indents further lines of the value, so that they don't look like
   * labels.
   */
  private static void show(Console console, String label, int width, String value) {
    String begin = label;
    for (String line : value.split("\\R", -1)) {
      console.out().println(begin + Printable.of(line));
      begin = " ".repeat(width);
    }
  }

  private static int widthOf(List<String> texts) {
    return texts.stream().mapToInt(String::length).max().orElse(0);
  }

  public void add(Listed thing) {
    switch (format) {
      case TABLE -> rows.add(thing.cells().stream().map(Printable::of).toList());
      case JSON -> out.print((isFirst ? "[\n" : ",\n") + object(thing));
      case NDJSON -> out.println(object(thing));
    }
    isFirst = false;
  }

  private static String object(Listed thing) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = Json.generator(text)) {
      json.writeStartObject();
      thing.writeFields(json);
      json.writeEndObject();
    }
    return text.toString();
  }

  /** Writes the rest of the listing. */
  @Override
  public void close() {
    if (format == OutputFormat.JSON) {
      out.println(isFirst ? "[]" : "\n]");
    } else if (format == OutputFormat.TABLE && !isFirst) {
      writeTable();
    }
    out.flush();
  }

  private void writeTable() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (int i = 0; i < rows.size(); i++) {
      String line = line(rows.get(i), widths);
      out.println(i == 0 ? terminal.outStyle().bold(line) : line);
    }
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(i == 0 ? "" : GAP).append(Numbers.left(row.get(i), widths[i]));
    }
    String text = line.toString().stripTrailing();
    boolean cut = terminal.out() && text.length() > terminal.columns();
    return cut ? text.substring(0, terminal.columns()) : text;
  }
}
