package io.punctual.cli;

import org.HdrHistogram.Histogram;

/** Draws how far the demo has come on one line. Not thread-safe. */
final class DemoProgress {
  private final ProgressLine line;
  private final Terminal terminal;
  private final OrderBook book;
  private final int orders;

  DemoProgress(ProgressLine line, Terminal terminal, OrderBook book, int orders) {
    this.line = line;
    this.terminal = terminal;
    this.book = book;
    this.orders = orders;
  }

  void show() {
    if (terminal.err()) {
      line.show(text());
    }
  }

  private String text() {
    OrderBook.Tally tally = book.tally();
    String text =
        String.format(
            "%s of %s scheduled, %s paid in time, %s closed",
            Numbers.grouped(tally.scheduled()),
            Numbers.grouped(orders),
            Numbers.grouped(tally.cancelled()),
            Numbers.grouped(tally.delivered()));
    Histogram lateness = book.latenessMicros();
    if (lateness.getTotalCount() > 0) {
      text += ", p99 " + Numbers.lateness(lateness.getValueAtPercentile(99)) + " late";
    }
    int width = Math.min(20, terminal.columns() - text.length() - 3);
    return width < 5 ? text : bar(width) + "  " + text;
  }

  private String bar(int width) {
    int full = (int) ((long) width * book.ended() / orders);
    String done = terminal.unicode() ? "\u2588" : "#";
    String open = terminal.unicode() ? "\u2591" : ".";
    return done.repeat(full) + open.repeat(width - full);
  }
}
