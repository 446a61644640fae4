package io.punctual.spring.boot.autoconfigure;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a misspelled name probably means. */
final class NearestName {
  private NearestName() {}

  /**
   * Returns the most similar name, or empty if none differs in at most a third of the characters.
   */
  static Optional<String> of(String wrong, Collection<String> names) {
    int most = Math.max(2, wrong.length() / 3);
    return names.stream()
        .filter(name -> distance(wrong, name) <= most)
        .min(Comparator.comparingInt(name -> distance(wrong, name)));
  }

  /** Returns a question about the most similar queue, for the end of a log line, or nothing. */
  static String question(String wrong, Collection<String> queues) {
    return of(wrong, queues).map(right -> "; did you mean the queue '" + right + "'?").orElse("");
  }

  /** Returns how many characters have to be inserted, deleted or replaced. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
