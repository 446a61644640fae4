package io.punctual;

import java.util.List;

/**
 * The dead letters of a queue by their failures.
 *
 * @param groups the groups, the largest first; 1,000 at most
 * @param others the number of dead letters that match but belong to none of these groups
 */
public record DeadLetterGroups(List<DeadLetterGroup> groups, long others) {
  /** Returns the number of dead letters in all groups. */
  public long total() {
    return others + groups.stream().mapToLong(DeadLetterGroup::count).sum();
  }
}
