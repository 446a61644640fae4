package io.punctual.cli.output;

import java.util.Locale;
import java.util.regex.Pattern;

/** Texts from a store, made safe for a terminal. */
public final class Printable {
  /** The control characters C0, C1 and DEL, and Unicode characters that reorder text. */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]");

  private static final Pattern UNSAFE_IN_JSON =
      Pattern.compile("[\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]");

  private Printable() {}

  /** Replaces each unsafe character, so that a stored text cannot control the terminal. */
  public static String of(String text) {
    return UNSAFE.matcher(text).replaceAll("\ufffd");
  }

  /**
   * Escapes each unsafe character of JSON, which does not change its meaning: outside of strings,
   * JSON has line breaks and tabs only.
   */
  static String json(String json) {
    return UNSAFE_IN_JSON
        .matcher(json)
        .replaceAll(
            found -> String.format(Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)));
  }
}
