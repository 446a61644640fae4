package io.punctual.http.json;

import io.punctual.http.text.BadInputException;
import java.util.HashSet;
import java.util.Set;

/**
 * The different long names of a body. The parser has a table of names, and copies it as it grows,
 * so that the time for long names would grow with the square of their length.
 */
final class LongNames {
  private static final int LONG = 64;
  private static final int MOST = 2 << 20;

  private final Set<String> known = new HashSet<>();
  private int length;

  void add(String name) {
    if (name.length() >= LONG && known.add(name)) {
      length += name.length();
      if (length > MOST) {
        throw new BadInputException(
            "JSON beyond the limits: the different names of "
                + LONG
                + " characters and more have more than "
                + MOST
                + " together");
      }
    }
  }
}
