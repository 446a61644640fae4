package io.punctual.cli.output;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The properties of the terminal. Java cannot detect which standard streams are a terminal, so the
 * start script passes this information. Without the script, no stream counts as a terminal.
 *
 * @param in whether a person types on standard input
 * @param out whether standard output is seen on a terminal
 * @param err whether standard error is seen on a terminal
 * @param colour whether colours are wanted
 * @param unicode whether the terminal shows characters beyond ASCII
 * @param columns the width in characters
 */
public record Terminal(
    boolean in, boolean out, boolean err, boolean colour, boolean unicode, int columns) {
  /** No terminal at all: files and pipes. */
  public static final Terminal NONE = new Terminal(false, false, false, false, false, 80);

  private static final int NARROWEST = 20;

  /**
   * Reads the environment, and the properties {@code punctual.terminal} (the streams that are a
   * terminal, such as {@code "in err"}) and {@code punctual.columns}.
   */
  public static Terminal detect(Map<String, String> environment) {
    Set<String> streams = Set.of(System.getProperty("punctual.terminal", "").trim().split(" +"));
    boolean dumb = "dumb".equals(environment.get("TERM"));
    return new Terminal(
        streams.contains("in"),
        streams.contains("out") && !dumb,
        streams.contains("err") && !dumb,
        environment.getOrDefault("NO_COLOR", "").isEmpty(),
        charset().newEncoder().canEncode('\u2588'),
        columns(environment));
  }

  private static Charset charset() {
    String name = System.getProperty("stdout.encoding", System.getProperty("native.encoding"));
    return name != null && Charset.isSupported(name)
        ? Charset.forName(name)
        : StandardCharsets.US_ASCII;
  }

  private static int columns(Map<String, String> environment) {
    Integer columns = Integer.getInteger("punctual.columns");
    if (columns == null) {
      String exported = environment.getOrDefault("COLUMNS", "");
      columns = exported.matches("[0-9]{1,5}") ? Integer.valueOf(exported) : 80;
    }
    return Math.max(NARROWEST, columns);
  }

  /** Returns the text in lines that fit the terminal and end between words if possible. */
  public List<String> wrapped(String text) {
    return wrapped(text, columns);
  }

  static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    for (int fits = DisplayWidth.fitting(rest, width);
        fits < rest.length();
        fits = DisplayWidth.fitting(rest, width)) {
      int space = rest.lastIndexOf(' ', fits);
      int end = 2 * space >= fits ? space : fits;
      lines.add(rest.substring(0, end));
      rest = rest.substring(end).stripLeading();
    }
    lines.add(rest);
    return lines;
  }

  public Style outStyle() {
    return new Style(out && colour);
  }

  public Style errStyle() {
    return new Style(err && colour);
  }
}
