package io.punctual.cli.output;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * Writes entries in the chosen format. A table is written at the end, when the widths of its
 * columns are known; JSON is written entry by entry. Call {@link #end} after the last entry, and
 * then {@link #close}. Not thread-safe.
 *
 * @param <T> the entries
 */
public final class Listing<T> implements AutoCloseable {
  private final Console console;
  private final Stdout out;
  private final OutputFormat format;
  private final Fields<T> fields;
  private final List<List<String>> rows = new ArrayList<>();
  private boolean isFirst = true;
  private boolean ended;

  public Listing(Console console, OutputFormat format, Fields<T> fields) {
    this.console = console;
    this.out = console.out();
    this.format = format;
    this.fields = fields;
  }

  /**
   * Writes a single entry: a JSON object, or a line with label and value for each field that is not
   * empty. It is the result of work that is done, and the exit code of the command tells it even
   * without a reader of the output.
   */
  public static <T> void show(Console console, OutputFormat format, Fields<T> fields, T entry) {
    console.out().ignoreReaderGone();
    if (format != OutputFormat.TABLE) {
      console.out().println(console.shownJson(object(fields, entry)));
    } else {
      Style style = console.terminal().outStyle();
      List<String> labels = fields.labels();
      List<String> texts = fields.texts(entry);
      int width = labels.stream().mapToInt(String::length).max().orElse(0) + 2;
      for (int i = 0; i < labels.size(); i++) {
        if (!texts.get(i).isEmpty()) {
          show(console, style.faint(Numbers.left(labels.get(i), width)), width, texts.get(i));
        }
      }
    }
    console.out().flush();
  }

  /** Writes a number as the only field of an entry. */
  public static void show(Console console, OutputFormat format, String name, long number) {
    show(console, format, new Fields<Long>().number(name, value -> value), number);
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

  public void add(T entry) {
    switch (format) {
      case TABLE -> rows.add(fields.texts(entry));
      case JSON -> out.print((isFirst ? "[\n" : ",\n") + console.shownJson(object(fields, entry)));
      case NDJSON -> out.println(console.shownJson(object(fields, entry)));
    }
    isFirst = false;
  }

  private static <T> String object(Fields<T> fields, T entry) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = Json.generator(text)) {
      json.writeStartObject();
      fields.write(json, entry);
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
      table(console.terminal(), fields, rows).forEach(out::println);
    } else if (format == OutputFormat.JSON && !ended && !isFirst) {
      out.println("");
    }
    out.flush();
  }

  /** Returns the lines of a table, as they fit the terminal. */
  public static <T> List<String> table(Terminal terminal, List<T> entries, Fields<T> fields) {
    return table(terminal, fields, entries.stream().map(fields::texts).toList());
  }

  private static List<String> table(Terminal terminal, Fields<?> fields, List<List<String>> rows) {
    List<String> columns =
        fields.labels().stream().map(label -> label.toUpperCase(Locale.ROOT)).toList();
    List<List<String>> printable =
        rows.stream().map(row -> row.stream().map(Printable::of).toList()).toList();
    return new TextTable(columns, printable).lines(terminal);
  }
}
