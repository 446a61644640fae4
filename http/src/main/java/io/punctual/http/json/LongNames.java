package io.punctual.http.json;

import io.punctual.http.text.BadInputException;
import java.util.HashSet;
import java.util.Set;

/**
 * The different long names of a body. The parser has a table of names, and copies it as it grows,
 * so that the time for long names would grow with the square of their length. It begins anew after
 * at most 65,536 names, so that only names of many bytes need a bound.
 */
final class LongNames {
  private static final int LONG = 64;
  private static final int MOST = 3 << 20;

  private final Set<String> known = new HashSet<>();
  private int bytes;

  void add(String name) {
    int length = utf8Length(name);
    if (length >= LONG && known.add(name)) {
      bytes += length;
      if (bytes > MOST) {
        throw new BadInputException(
            "JSON beyond the limits: the different names of "
                + LONG
                + " bytes and more have more than "
                + MOST
                + " together");
      }
    }
  }

  /** Returns the number of bytes in UTF-8; counts characters beyond U+FFFF a bit too much. */
  private static int utf8Length(String name) {
    int length = name.length();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      length += c < 0x80 ? 0 : c < 0x800 ? 1 : 2;
    }
    return length;
  }
}
