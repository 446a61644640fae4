package io.punctual.view;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a JSON value by RFC 8259, or checks it without keeping anything. Not thread-safe. */
final class JsonReader {
  static final int MOST_DEPTH = 400;
  static final int LONGEST_NUMBER = 1000;
  private static final int MOST_EXPONENT_DIGITS = 9;
  private static final int MOST_LONG_DIGITS = 18;

  private final String text;
  private final boolean keeps;
  private int at;

  private JsonReader(String text, boolean keeps) {
    this.text = text;
    this.keeps = keeps;
  }

  /** Thrown where the text is not JSON. */
  private static final class NotJsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotJsonException() {
      super(null, null, false, false);
    }
  }

  static boolean isJson(String text) {
    try {
      Object unused = new JsonReader(text, false).whole();
      return true;
    } catch (NotJsonException e) {
      return false;
    }
  }

  /** Returns the value of a text that is JSON. */
  static @Nullable Object read(String text) {
    return new JsonReader(text, true).whole();
  }

  private @Nullable Object whole() {
    Object value = value(0);
    require(at == text.length());
    return value;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new NotJsonException();
    }
  }

  /** Returns the next character, or 0 at the end. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private char next() {
    require(at < text.length());
    return text.charAt(at++);
  }

  private boolean skip(char expected) {
    boolean found = peek() == expected;
    at += found ? 1 : 0;
    return found;
  }

  private void skipSpace() {
    for (char c = peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek()) {
      at++;
    }
  }

  /** Reads a value and the space around it. */
  private @Nullable Object value(int depth) {
    require(depth <= MOST_DEPTH);
    skipSpace();
    Object value =
        switch (peek()) {
          case '{' -> object(depth);
          case '[' -> list(depth);
          case '"' -> string();
          case 't' -> word("true", true);
          case 'f' -> word("false", false);
          case 'n' -> word("null", null);
          default -> number();
        };
    skipSpace();
    return value;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    require(text.startsWith(word, at));
    at += word.length();
    return value;
  }

  private Object object(int depth) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    at++;
    skipSpace();
    if (skip('}')) {
      return fields;
    }
    do {
      skipSpace();
      require(peek() == '"');
      String name = string();
      skipSpace();
      require(skip(':'));
      Object value = value(depth + 1);
      if (keeps) {
        fields.put(name, value);
      }
    } while (skip(','));
    require(skip('}'));
    return fields;
  }

  private Object list(int depth) {
    List<@Nullable Object> values = new ArrayList<>();
    at++;
    skipSpace();
    if (skip(']')) {
      return values;
    }
    do {
      Object value = value(depth + 1);
      if (keeps) {
        values.add(value);
      }
    } while (skip(','));
    require(skip(']'));
    return values;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    at++;
    char before = 0;
    for (char c = next(); c != '"'; c = next()) {
      require(c >= ' ');
      char read = c == '\\' ? escaped() : c;
      require(Character.isHighSurrogate(before) == Character.isLowSurrogate(read));
      before = read;
      if (keeps) {
        string.append(read);
      }
    }
    require(!Character.isHighSurrogate(before));
    return string.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> (char) (hexDigit() << 12 | hexDigit() << 8 | hexDigit() << 4 | hexDigit());
      default -> throw new NotJsonException();
    };
  }

  private int hexDigit() {
    char c = next();
    int digit = c < 128 ? Character.digit(c, 16) : -1;
    require(digit >= 0);
    return digit;
  }

  private @Nullable Object number() {
    int from = at;
    boolean unused = skip('-');
    int first = at;
    int whole = digits();
    require(whole == 1 || text.charAt(first) != '0');
    boolean isWhole = true;
    if (skip('.')) {
      isWhole = false;
      int unusedDigits = digits();
    }
    if (skip('e') || skip('E')) {
      isWhole = false;
      boolean unusedSign = skip('+') || skip('-');
      require(digits() <= MOST_EXPONENT_DIGITS);
    }
    require(at - from <= LONGEST_NUMBER);
    return keeps
        ? number(text.substring(from, at), isWhole && whole <= MOST_LONG_DIGITS, isWhole)
        : null;
  }

  private static Number number(String digits, boolean isLong, boolean isWhole) {
    if (digits.equals("-0")) {
      return -0.0;
    }
    if (isLong) {
      return Long.valueOf(digits);
    }
    return isWhole ? new BigInteger(digits) : new BigDecimal(digits);
  }

  /** Skips at least one digit, and returns their number. */
  private int digits() {
    int from = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    require(at > from);
    return at - from;
  }
}
