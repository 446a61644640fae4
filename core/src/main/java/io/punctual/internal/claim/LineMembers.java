package io.punctual.internal.claim;

import io.punctual.spi.Partition;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of a {@link ClaimLine}, in the order of their arrival. The line's lock guards it. */
final class LineMembers {
  private final Set<ClaimLine.Member> members = new LinkedHashSet<>();

  /** The members that wait for a reply to a claim that was not sent yet. */
  private final Set<ClaimLine.Member> asking = new LinkedHashSet<>();

  void add(ClaimLine.Member member) {
    members.add(member);
  }

  void remove(ClaimLine.Member member) {
    members.remove(member);
  }

  /** Returns whether there are no members, apart from those that ask and have left. */
  boolean isEmpty() {
    return members.isEmpty();
  }

  boolean isAsking() {
    return !asking.isEmpty();
  }

  /** Notes that a reserved member asks the partition. */
  void ask(ClaimLine.Member member) {
    asking.add(member);
  }

  /** Notes that a member asks no more; returns whether it asked. */
  boolean stopAsking(ClaimLine.Member member) {
    return asking.remove(member);
  }

  /**
   * Reserves and returns a member that can receive messages which the line has already; null if
   * there is none. Prefers members that ask.
   */
  ClaimLine.@Nullable Member firstReserved() {
    Iterator<ClaimLine.Member> asked = asking.iterator();
    if (asked.hasNext()) {
      ClaimLine.Member first = asked.next();
      asked.remove();
      return first;
    }
    return members.stream().filter(ClaimLine.Member::reserve).findFirst().orElse(null);
  }

  /**
   * Reserves the first members that wait, and adds them.
   *
   * @param most the largest number of members
   * @return the limit of their claim, in messages
   */
  int addWaiting(List<ClaimLine.Member> chosen, int most) {
    int limit = 0;
    for (ClaimLine.Member member : members) {
      if (chosen.size() >= most || limit + member.max() > Partition.MAX_PAGE) {
        break;
      }
      if (!asking.contains(member) && member.reserve()) {
        chosen.add(member);
        limit += member.max();
      }
    }
    return limit;
  }

  /** Adds the members that ask; returns the limit of the claim, which was {@code before}. */
  int addAsking(List<ClaimLine.Member> chosen, int before) {
    int limit = before;
    for (Iterator<ClaimLine.Member> each = asking.iterator(); each.hasNext(); ) {
      ClaimLine.Member member = each.next();
      if (limit + member.max() > Partition.MAX_PAGE) {
        break;
      }
      chosen.add(member);
      each.remove();
      limit += member.max();
    }
    return limit;
  }
}
