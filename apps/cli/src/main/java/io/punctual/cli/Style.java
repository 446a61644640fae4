package io.punctual.cli;

/** Colours text by ANSI sequences, or leaves it as it is. */
record Style(boolean on) {
  String bold(String text) {
    return paint("1", text);
  }

  String faint(String text) {
    return paint("2", text);
  }

  String good(String text) {
    return paint("32", text);
  }

  String bad(String text) {
    return paint("1;31", text);
  }

  String bar(String text) {
    return paint("36", text);
  }

  private String paint(String code, String text) {
    return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
