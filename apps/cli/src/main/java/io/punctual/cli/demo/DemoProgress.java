package io.punctual.cli.demo;

import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.cli.output.Terminal;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Draws the progress of the demo on one line. Not thread-safe. */
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

  /** Returns the line: a bar, and then the figures that fit, the most important figures first. */
  private String text() {
    OrderBook.Tally tally = book.tally();
    Histogram lateness = book.latenessMicros();
    List<String> parts = new ArrayList<>();
    parts.add(Numbers.grouped(tally.delivered()) + " closed");
    parts.add(Numbers.grouped(tally.cancelled()) + " paid");
    parts.add("of " + Numbers.grouped(tally.scheduled()) + " orders");
    if (lateness.getTotalCount() > 0) {
      parts.add("p99 " + Numbers.lateness(lateness.getValueAtPercentile(99)) + " late");
    }
    StringBuilder text = new StringBuilder(bar(Math.min(20, terminal.columns() / 3)));
    for (String part : parts) {
      if (text.length() + part.length() + 2 < terminal.columns()) {
        text.append("  ").append(part);
      }
    }
    return text.toString();
  }

  private String bar(int width) {
    int full = (int) ((long) width * book.ended() / orders);
    String done = terminal.unicode() ? "\u2588" : "#";
    String open = terminal.unicode() ? "\u2591" : ".";
    return done.repeat(full) + open.repeat(width - full);
  }
}
