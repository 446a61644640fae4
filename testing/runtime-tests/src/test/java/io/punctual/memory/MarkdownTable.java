package io.punctual.memory;

import java.util.ArrayList;
import java.util.List;

/** A table in Markdown. Each column is padded to the width of its widest cell. */
final class MarkdownTable {
  private MarkdownTable() {}

  /** Returns the text of a table; the first line is the header. */
  static String of(List<List<String>> lines) {
    List<Integer> widths = new ArrayList<>();
    for (int column = 0; column < lines.get(0).size(); column++) {
      int at = column;
      widths.add(lines.stream().mapToInt(line -> line.get(at).length()).max().orElse(0));
    }
    StringBuilder table = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      line(table, lines.get(i), widths);
      if (i == 0) {
        line(table, widths.stream().map("-"::repeat).toList(), widths);
      }
    }
    return table.toString();
  }

  private static void line(StringBuilder table, List<String> cells, List<Integer> widths) {
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      table.append('|').append(' ').append(cell);
      table.append(" ".repeat(widths.get(i) - cell.length())).append(' ');
    }
    table.append("|\n");
  }
}
