package io.punctual.deadletter;

import java.util.List;

/**
 * The dead letters of a queue that match a filter, grouped by reason and failure.
 *
 * @param groups the groups, the largest first; 1,000 at most
 * @param others the number of dead letters that match but belong to none of these groups
 */
public record DeadLetterGroups(List<DeadLetterGroup> groups, long others) {
  /** Returns the number of dead letters that match, in the groups and outside of them. */
  public long total() {
    return others + groups.stream().mapToLong(DeadLetterGroup::count).sum();
  }
}
