package io.punctual.cli.output;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * A line of the terminal that each update overwrites. Writes nothing if there is no terminal. Not
 * thread-safe.
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

  /**
   * Returns the progress line of a command that writes nothing to standard output while it shows
   * the line.
   */
  public static ProgressLine of(Console console) {
    return new ProgressLine(console, console.terminal().err());
  }

  /**
   * Returns the progress line of a command that also writes data to standard output. If standard
   * output is a terminal too, the line writes nothing, because it would mix with the data.
   */
  public static ProgressLine besideData(Console console) {
    return new ProgressLine(console, console.terminal().err() && !console.terminal().out());
  }

  /** Shows this text, cut to the width of the terminal. */
  public void show(String text) {
    String fitting = text.substring(0, DisplayWidth.fitting(text, columns - 1));
    if (shown && !fitting.equals(last)) {
      err.print("\r" + fitting + "\u001b[K");
      err.flush();
      last = fitting;
    }
  }

  @Override
  public void close() {
    if (last != null) {
      err.print("\r\u001b[K");
      err.flush();
      last = null;
    }
  }
}
