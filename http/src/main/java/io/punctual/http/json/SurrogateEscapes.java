package io.punctual.http.json;

/**
 * Finds halves of surrogate pairs in JSON. A body of UTF-8 can hold them only as escapes, so its
 * bytes are read instead of its texts, which would take memory first.
 */
final class SurrogateEscapes {
  private static final String HIGH = "89abAB";
  private static final String LOW = "cdefCDEF";
  private static final int LENGTH = 6;

  private SurrogateEscapes() {}

  /** Returns the index of the first half without the other one, or -1 if there is none. */
  static int firstHalf(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes[at] != '\\') {
        continue;
      }
      boolean isPair = is(HIGH, bytes, at, to) && is(LOW, bytes, at + LENGTH, to);
      if (!isPair && (is(HIGH, bytes, at, to) || is(LOW, bytes, at, to))) {
        return at;
      }
      // After the last byte of a pair, or after the byte that is escaped, which may be a backslash.
      at += isPair ? 2 * LENGTH - 1 : 1;
    }
    return -1;
  }

  private static boolean is(String half, byte[] bytes, int at, int to) {
    return at + LENGTH <= to
        && bytes[at] == '\\'
        && bytes[at + 1] == 'u'
        && (bytes[at + 2] | 0x20) == 'd'
        && half.indexOf(bytes[at + 3]) >= 0;
  }
}
