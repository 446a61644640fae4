package io.punctual.http.text;

/** Judges UTF-8 strictly: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
public final class Utf8 {
  private Utf8() {}

  /** Returns the offset of the first byte that is not part of valid UTF-8, or -1. */
  public static int firstError(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int length = lengthAt(bytes, at, to);
      if (length == 0) {
        return at;
      }
      at += length;
    }
    return -1;
  }

  /** Returns the length of the sequence at an offset, or 0 if it is not valid. */
  private static int lengthAt(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    if (lead < 0x80) {
      return 1;
    }
    int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || at + length > to) {
      return 0;
    }
    int second = bytes[at + 1] & 0xff;
    // The second byte excludes overlong forms, surrogates, and what is beyond U+10FFFF.
    int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) {
      return 0;
    }
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return length;
  }
}
