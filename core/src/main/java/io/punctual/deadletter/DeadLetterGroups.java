package io.punctual.deadletter;

import java.util.List;

/** The dead letters of a queue that match a filter, grouped by reason and failure. Immutable. */
public interface DeadLetterGroups {
  /** Returns the groups, the largest first; 1,000 at most. */
  List<DeadLetterGroup> groups();

  /** Returns the number of dead letters that match but belong to none of these groups. */
  long others();

  /** Returns the number of dead letters that match, in the groups and outside of them. */
  default long total() {
    return others() + groups().stream().mapToLong(DeadLetterGroup::count).sum();
  }
}
