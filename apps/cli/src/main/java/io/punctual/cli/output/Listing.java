package io.punctual.cli.output;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * Writes entries in the chosen format. A table is written at the end, when the widths of its
 * columns are known; JSON is written entry by entry. Call {@link #end} after the last entry, and
 * then {@link #close}. Not thread-safe.
 */
public final class Listing implements AutoCloseable {
  private final Stdout out;
  private final Terminal terminal;
  private final OutputFormat format;
  private final List<String> columns;
  private final List<List<String>> rows = new ArrayList<>();
  private boolean isFirst = true;
  private boolean ended;

  public Listing(Console console, OutputFormat format, String... columns) {
    this.out = console.out();
    this.terminal = console.terminal();
    this.format = format;
    this.columns = List.of(columns);
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
      case TABLE -> rows.add(cells(thing));
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

  /** Ends the listing: all entries are added. */
  public void end() {
    ended = true;
    if (format == OutputFormat.JSON) {
      out.println(isFirst ? "[]" : "\n]");
    }
  }

  /**
   * Writes the table. A JSON array without {@link #end} stays open, so that no reader takes a part
   * of the entries for all.
   */
  @Override
  public void close() {
    if (format == OutputFormat.TABLE && (ended || !rows.isEmpty())) {
      new TextTable(columns, rows).lines(terminal).forEach(out::println);
    } else if (format == OutputFormat.JSON && !ended && !isFirst) {
      out.println("");
    }
    out.flush();
  }

  /** Returns the lines of a table, as they fit the terminal. */
  public static List<String> table(
      Terminal terminal, List<? extends Listed> things, String... columns) {
    return new TextTable(List.of(columns), things.stream().map(Listing::cells).toList())
        .lines(terminal);
  }

  private static List<String> cells(Listed thing) {
    return thing.cells().stream().map(Printable::of).toList();
  }
}
