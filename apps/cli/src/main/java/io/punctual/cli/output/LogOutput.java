package io.punctual.cli.output;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Standard error for logs and stack traces. They contain texts of others, such as ids, which must
 * neither control the terminal nor look like log lines: further lines of a text are indented. Safe
 * for use by many threads.
 */
public final class LogOutput extends PrintStream {
  private static final String INDENT = "    ";

  public LogOutput(OutputStream out) {
    super(out, true, StandardCharsets.UTF_8);
  }

  /** Prints a text; all other methods for texts and objects call this one. */
  @Override
  public void print(@Nullable String text) {
    String[] lines = String.valueOf(text).split("\\R", -1);
    StringBuilder printable = new StringBuilder();
    for (int i = 0; i < lines.length; i++) {
      if (i > 0) {
        printable.append('\n').append(lines[i].isEmpty() ? "" : INDENT);
      }
      printable.append(Printable.of(lines[i].replace("\t", INDENT)));
    }
    super.print(printable.toString());
  }
}
