package io.punctual.jdbc.sql;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Texts for a database that can't store all characters: other characters than those of ASCII are
 * written as a backslash, a u and four hexadecimal digits. Stateless.
 */
final class AsciiText {
  private static final Pattern ESCAPED = Pattern.compile("\\\\u([0-9a-f]{4})");

  private AsciiText() {}

  static String encode(String text) {
    StringBuilder encoded = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80 && c != '\\') {
        encoded.append(c);
      } else {
        encoded.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    return encoded.toString();
  }

  static String decode(String text) {
    return ESCAPED
        .matcher(text)
        .replaceAll(
            escaped ->
                Matcher.quoteReplacement(
                    Character.toString((char) Integer.parseInt(escaped.group(1), 16))));
  }
}
