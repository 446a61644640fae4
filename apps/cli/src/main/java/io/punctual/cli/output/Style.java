package io.punctual.cli.output;

/** Colours text by ANSI sequences, or leaves it as it is. */
public record Style(boolean on) {
  public String bold(String text) {
    return paint("1", text);
  }

  public String faint(String text) {
    return paint("2", text);
  }

  public String good(String text) {
    return paint("32", text);
  }

  public String bad(String text) {
    return paint("1;31", text);
  }

  public String bar(String text) {
    return paint("36", text);
  }

  private String paint(String code, String text) {
    return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
