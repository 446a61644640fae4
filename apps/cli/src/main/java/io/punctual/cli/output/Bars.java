package io.punctual.cli.output;

import java.util.ArrayList;
import java.util.List;

/**
 * A histogram of labelled counts, drawn in text.
 *
 * @param style how bars are coloured
 * @param unicode whether bars may be drawn in eighths of a character
 * @param columns the largest width in characters
 */
public record Bars(Style style, boolean unicode, int columns) {
  private static final String EIGHTHS = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588";
  private static final int NARROWEST = 5;
  private static final int WIDEST = 60;

  public record Row(String label, long count) {}

  public static Bars of(Terminal terminal) {
    return new Bars(terminal.outStyle(), terminal.unicode(), terminal.columns());
  }

  public List<String> draw(List<Row> rows) {
    int labels = rows.stream().mapToInt(row -> DisplayWidth.of(row.label())).max().orElse(0);
    long most = rows.stream().mapToLong(Row::count).max().orElse(0);
    int room = columns - labels - Numbers.grouped(most).length() - 6;
    int width = Math.max(NARROWEST, Math.min(WIDEST, room));
    List<String> lines = new ArrayList<>();
    for (Row row : rows) {
      String bar = bar(row.count(), most, width);
      String gap = bar.isEmpty() ? "" : " ";
      String count = row.count() == 0 ? style.faint("0") : Numbers.grouped(row.count());
      lines.add("  " + Numbers.right(row.label(), labels) + "  " + style.bar(bar) + gap + count);
    }
    return lines;
  }

  private String bar(long count, long most, int width) {
    if (count == 0) {
      return "";
    }
    if (!unicode) {
      return "#".repeat((int) Math.max(1, Math.round((double) count / most * width)));
    }
    int eighths = (int) Math.max(1, Math.round((double) count / most * width * 8));
    String whole = EIGHTHS.substring(8).repeat(eighths / 8);
    return eighths % 8 == 0 ? whole : whole + EIGHTHS.charAt(eighths % 8);
  }
}
