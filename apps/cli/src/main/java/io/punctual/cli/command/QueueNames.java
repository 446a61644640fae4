package io.punctual.cli.command;

import io.punctual.Punctual;
import io.punctual.cli.output.Numbers;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The queues of a store.
 *
 * @param store the store's URL
 * @param names the names, sorted
 */
public record QueueNames(String store, List<String> names) {
  private static final int MOST_NAMES = 20;

  private record Candidate(String name, int distance) {}

  public static QueueNames of(Punctual punctual) {
    return new QueueNames(punctual.store(), punctual.queues());
  }

  public List<String> beginningWith(String prefix) {
    return names.stream().filter(name -> name.startsWith(prefix)).toList();
  }

  public boolean contain(String queue) {
    return names.contains(queue);
  }

  /** Returns the error for a queue that does not exist, and the names that are most like it. */
  public String missing(String queue) {
    return store + " has no queue '" + queue + "'; " + existing(queue, names);
  }

  /** Returns a clause with those of these names, sorted, that are most like a missing queue. */
  public static String existing(String queue, List<String> names) {
    if (names.isEmpty()) {
      return "it has no queues";
    }
    boolean all = names.size() <= MOST_NAMES;
    String listed =
        names.stream()
            .map(name -> new Candidate(name, all ? 0 : distance(queue, name)))
            .sorted(Comparator.comparingInt(Candidate::distance))
            .limit(MOST_NAMES)
            .map(candidate -> "'" + candidate.name + "'")
            .collect(Collectors.joining(", "));
    int more = names.size() - MOST_NAMES;
    return "it has " + listed + (more > 0 ? " and " + Numbers.grouped(more) + " more" : "");
  }

  /** Returns how many letters must be changed, added or removed to make one text of the other. */
  private static int distance(String a, String b) {
    int[] row = IntStream.rangeClosed(0, b.length()).toArray();
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
