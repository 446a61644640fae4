package io.punctual.http.route;

import io.punctual.http.text.BadInputException;
import io.punctual.http.text.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a path at its slashes, and decodes each segment once. So a segment may contain {@code
 * %2F}, {@code %25} and {@code ;} as data.
 */
final class Segments {
  private Segments() {}

  /**
   * Returns the decoded segments; empty segments stay.
   *
   * @throws BadInputException if a segment is not valid, has a control character, or is a dot or
   *     two, which clients and proxies resolve differently
   */
  static List<String> of(String path) {
    List<String> segments = new ArrayList<>();
    int from = path.startsWith("/") ? 1 : 0;
    while (true) {
      int slash = path.indexOf('/', from);
      String segment = decode(path, from, slash < 0 ? path.length() : slash, false);
      if (segment.equals(".") || segment.equals("..")) {
        throw new BadInputException(
            "A path must not have the segment '"
                + segment
                + "'; for such an id, use the path /v1/queues/{queue}/message?id=");
      }
      segments.add(segment);
      if (slash < 0) {
        return segments;
      }
      from = slash + 1;
    }
  }

  /** Decodes percent escapes of UTF-8. */
  static String decode(String text, int from, int to, boolean plusIsSpace) {
    boolean isPlain = true;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        throw new BadInputException(
            "The path or the query has a character that must be percent-encoded as UTF-8");
      }
      isPlain &= c != '%' && (c != '+' || !plusIsSpace);
    }
    return isPlain ? text.substring(from, to) : unescape(text, from, to, plusIsSpace);
  }

  private static String unescape(String text, int from, int to, boolean plusIsSpace) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '%') {
        out.write(escape(text, i, to));
        i += 2;
      } else {
        out.write(c == '+' && plusIsSpace ? ' ' : c);
      }
    }
    return utf8(out.toByteArray());
  }

  private static int escape(String text, int at, int to) {
    int high = at + 2 < to ? Character.digit(text.charAt(at + 1), 16) : -1;
    int low = at + 2 < to ? Character.digit(text.charAt(at + 2), 16) : -1;
    if (high < 0 || low < 0) {
      throw new BadInputException(
          "A percent sign in the path or the query must be followed by two hexadecimal digits;"
              + " send %25 for a percent sign");
    }
    int value = high << 4 | low;
    if (value < ' ' || value == 0x7f) {
      throw new BadInputException("The path or the query has an encoded control character");
    }
    return value;
  }

  private static String utf8(byte[] bytes) {
    if (Utf8.firstError(bytes, 0, bytes.length) >= 0) {
      throw new BadInputException("The path or the query has escapes that are not valid UTF-8");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
