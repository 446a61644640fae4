package io.punctual.cli.command;

import io.punctual.Punctual;
import io.punctual.cli.output.Numbers;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The queues of a store.
 *
 * @param store the store's URL
 * @param names the names, sorted
 */
public record QueueNames(String store, List<String> names) {
  private static final int MOST_NAMES = 20;

  public static QueueNames of(Punctual punctual) {
    return new QueueNames(punctual.store(), punctual.queues());
  }

  public boolean contain(String queue) {
    return names.contains(queue);
  }

  /** Returns the error for a queue that does not exist, with the first of the names that exist. */
  public String missing(String queue) {
    return store + " has no queue '" + queue + "'; " + existing();
  }

  private String existing() {
    if (names.isEmpty()) {
      return "it has no queues";
    }
    String listed =
        names.stream()
            .limit(MOST_NAMES)
            .map(name -> "'" + name + "'")
            .collect(Collectors.joining(", "));
    int more = names.size() - MOST_NAMES;
    return "it has " + listed + (more > 0 ? " and " + Numbers.grouped(more) + " more" : "");
  }
}
