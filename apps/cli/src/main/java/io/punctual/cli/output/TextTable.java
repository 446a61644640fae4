package io.punctual.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A table of text that loses nothing on a narrow terminal. A table that is wider than the terminal
 * first leaves out the columns that say nothing, and names them below the table. If only the last
 * column is too wide, its text continues on further lines. Otherwise each row becomes a block with
 * a line for each cell.
 *
 * @param columns the titles
 * @param rows a cell for each column
 */
record TextTable(List<String> columns, List<List<String>> rows) {
  private static final String GAP = "  ";

  /** The narrowest last column whose text is continued on further lines. */
  private static final int NARROWEST = 20;

  /** Cells that say nothing. */
  private static final Set<String> NOTHING = Set.of("", "0", "0s", "no", "none", "-");

  /** Returns the lines of the table. The widths of a terminal that nobody sees do not matter. */
  List<String> lines(Terminal terminal) {
    int width = terminal.out() ? terminal.columns() : Integer.MAX_VALUE;
    Style style = terminal.outStyle();
    if (rows.isEmpty()) {
      return Terminal.wrapped(String.join(GAP, columns), width).stream().map(style::bold).toList();
    }
    if (width(this) <= width) {
      return lines(style, width);
    }
    List<Integer> telling =
        IntStream.range(0, columns.size())
            .filter(column -> column == 0 || tells(column))
            .boxed()
            .toList();
    TextTable shorter = of(telling);
    List<String> lines =
        new ArrayList<>(shorter.fits(width) ? shorter.lines(style, width) : blocks(style, width));
    if (shorter.fits(width) && telling.size() < columns.size()) {
      List<String> left = new ArrayList<>(columns);
      left.removeAll(shorter.columns);
      lines.addAll(Terminal.wrapped("Nothing in " + String.join(", ", left), width));
    }
    return lines;
  }

  private static int width(TextTable table) {
    return table.offset(table.columns.size()) - GAP.length();
  }

  /** Returns where a column begins. */
  private int offset(int column) {
    return IntStream.range(0, column).map(i -> widthOf(i) + GAP.length()).sum();
  }

  private int widthOf(int column) {
    return rows.stream()
        .mapToInt(row -> DisplayWidth.of(row.get(column)))
        .reduce(columns.get(column).length(), Math::max);
  }

  private boolean tells(int column) {
    return rows.stream().anyMatch(row -> !NOTHING.contains(row.get(column)));
  }

  private TextTable of(List<Integer> chosen) {
    return new TextTable(
        chosen.stream().map(columns::get).toList(),
        rows.stream().map(row -> chosen.stream().map(row::get).toList()).toList());
  }

  private boolean fits(int width) {
    int last = columns.size() - 1;
    return width(this) <= width
        || (last > 0 && offset(last) + Math.max(NARROWEST, columns.get(last).length()) <= width);
  }

  private List<String> lines(Style style, int width) {
    List<String> lines = new ArrayList<>();
    List<Integer> widths = IntStream.range(0, columns.size()).mapToObj(this::widthOf).toList();
    row(columns, widths, width).forEach(line -> lines.add(style.bold(line)));
    rows.forEach(row -> lines.addAll(row(row, widths, width)));
    return lines;
  }

  private List<String> row(List<String> row, List<Integer> widths, int width) {
    int last = row.size() - 1;
    StringBuilder begin = new StringBuilder();
    for (int i = 0; i < last; i++) {
      begin.append(Numbers.left(row.get(i), widths.get(i))).append(GAP);
    }
    int indent = DisplayWidth.of(begin.toString());
    int room = Math.max(1, width - indent);
    List<String> lines = new ArrayList<>();
    for (String text : Terminal.wrapped(row.get(last), room)) {
      lines.add((begin + text).stripTrailing());
      begin = new StringBuilder(" ".repeat(indent));
    }
    return lines;
  }

  private List<String> blocks(Style style, int width) {
    int labels = columns.stream().mapToInt(String::length).max().orElse(0) + GAP.length();
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      for (int i = 0; i < columns.size(); i++) {
        String label = style.bold(Numbers.left(columns.get(i), labels));
        for (String text : Terminal.wrapped(row.get(i), Math.max(1, width - labels))) {
          lines.add((label + text).stripTrailing());
          label = " ".repeat(labels);
        }
      }
    }
    return lines;
  }
}
