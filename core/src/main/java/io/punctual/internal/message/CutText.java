package io.punctual.internal.message;

/** Cuts texts of users, which may be too long to be kept or shown. */
public final class CutText {
  private CutText() {}

  /**
   * Returns the beginning of a text: at most so many {@code char}s, and whole characters only. Half
   * of a character could be neither encoded nor shown.
   */
  public static String first(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    boolean splits = Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, splits ? most - 1 : most);
  }
}
