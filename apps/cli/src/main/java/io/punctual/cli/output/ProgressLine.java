package io.punctual.cli.output;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * One line of a terminal that is written over and over; nothing at all where there is no terminal.
 * Not thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
  private final PrintWriter err;
  private final boolean shown;
  private final int columns;
  private @Nullable String last;

  private ProgressLine(Console console, boolean shown) {
    this.err = console.err();
    this.shown = shown;
    this.columns = console.terminal().columns();
  }

  /** Returns the line of a command that writes no data while it is shown. */
  public static ProgressLine of(Console console) {
    return new ProgressLine(console, console.terminal().err());
  }

  /** Returns the line of a command whose data would stand in its way on a terminal. */
  public static ProgressLine besideData(Console console) {
    return new ProgressLine(console, console.terminal().err() && !console.terminal().out());
  }

  /** Shows this text, cut to the width of the terminal. */
  public void show(String text) {
    String fitting = text.length() < columns ? text : text.substring(0, columns - 1);
    if (shown && !fitting.equals(last)) {
      err.print("\r" + fitting + "\u001b[K");
      err.flush();
      last = fitting;
    }
  }

  /** Takes the line away. */
  @Override
  public void close() {
    if (last != null) {
      err.print("\r\u001b[K");
      err.flush();
      last = null;
    }
  }
}
