package io.punctual.cli.output;

/**
 * The columns that a text takes on a terminal: two for each wide character, such as a Chinese one
 * or an emoji, and none for a mark that joins the character before it. The ranges are those of the
 * wide characters in Unicode's East Asian Width that are in use.
 */
public final class DisplayWidth {
  private static final int[][] WIDE = {
    {0x1100, 0x115F}, // Hangul, initial consonants
    {0x2E80, 0x303E}, // CJK radicals and punctuation
    {0x3041, 0xA4CF}, // Kana, CJK, Yi
    {0xA960, 0xA97C}, // Hangul, further initial consonants
    {0xAC00, 0xD7A3}, // Hangul
    {0xF900, 0xFAFF}, // CJK compatibility
    {0xFE30, 0xFE6F}, // CJK compatibility forms
    {0xFF01, 0xFF60}, // fullwidth forms
    {0xFFE0, 0xFFE6}, // fullwidth signs
    {0x1F300, 0x1F64F}, // emoji
    {0x1F680, 0x1F6FF}, // emoji of transport
    {0x1F900, 0x1FAFF}, // further emoji
    {0x20000, 0x3FFFD} // further CJK
  };

  private DisplayWidth() {}

  public static int of(String text) {
    return text.codePoints().map(DisplayWidth::of).sum();
  }

  private static int of(int character) {
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT) {
      return 0;
    }
    for (int[] range : WIDE) {
      if (character >= range[0] && character <= range[1]) {
        return 2;
      }
    }
    return 1;
  }

  /** Returns a text of at most this width: the whole text, or its beginning and three dots. */
  public static String cut(String text, int most) {
    return of(text) <= most ? text : text.substring(0, fitting(text, most - 3)) + "...";
  }

  /** Returns the length of the beginning of a text that fits a width, at least one character. */
  public static int fitting(String text, int width) {
    int used = 0;
    int end = 0;
    while (end < text.length()) {
      int character = text.codePointAt(end);
      used += of(character);
      if (used > width && end > 0) {
        return end;
      }
      end += Character.charCount(character);
    }
    return end;
  }
}
