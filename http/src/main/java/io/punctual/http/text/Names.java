package io.punctual.http.text;

import io.punctual.internal.message.CutText;
import java.util.Collection;

/** Refuses names that are not known, and suggests a known name. */
public final class Names {
  private Names() {}

  /** Returns an exception that names the nearest known name, or else all of them. */
  public static BadInputException unknown(String kind, String name, Collection<String> known) {
    String cut = printable(name);
    String nearest = nearest(name, known);
    if (known.isEmpty()) {
      return new BadInputException("Unknown " + kind + " '" + cut + "'; none is expected here");
    }
    return new BadInputException(
        "Unknown "
            + kind
            + " '"
            + cut
            + "'"
            + (nearest.isEmpty()
                ? "; known are " + String.join(", ", known)
                : "; did you mean '" + nearest + "'?"));
  }

  /** Returns a text of the sender for a message: cut, and without control characters. */
  public static String printable(String text) {
    return printable(text, 60);
  }

  /** Returns a text of the sender for a message: cut, and without control characters. */
  public static String printable(String text, int most) {
    String cut = text.length() > most ? CutText.first(text, most) + "…" : text;
    StringBuilder safe = new StringBuilder(cut.length());
    cut.codePoints()
        .map(c -> Character.isISOControl(c) || (c >= 0xd800 && c <= 0xdfff) ? 0xfffd : c)
        .forEach(safe::appendCodePoint);
    return safe.toString();
  }

  private static String nearest(String name, Collection<String> known) {
    String best = "";
    int least = 4;
    String cut = CutText.first(name, 60);
    for (String candidate : known) {
      int distance = distance(cut, candidate);
      if (distance < least && distance <= candidate.length() / 2) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  /** Returns how many letters must be changed, added or left out; the case of letters is free. */
  private static int distance(String one, String other) {
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = above[0];
      above[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        boolean same =
            Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
        int changed = diagonal + (same ? 0 : 1);
        diagonal = above[j];
        above[j] = Math.min(changed, Math.min(above[j], above[j - 1]) + 1);
      }
    }
    return above[other.length()];
  }
}
