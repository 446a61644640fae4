package io.punctual.http.access;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request, with its rights. Immutable.
 *
 * @param name the name in the audit and in the claims, such as the name of a token
 * @param grants the rights
 * @param until when the proof of the caller expires, or null if it does not
 */
public record Caller(String name, Set<Grant> grants, @Nullable Instant until) {
  /** Creates a caller. */
  public Caller {
    Objects.requireNonNull(name, "name");
    grants = Set.copyOf(grants);
  }

  /** Creates a caller whose proof does not expire. */
  public Caller(String name, Set<Grant> grants) {
    this(name, grants, null);
  }

  /** Returns whether the caller has the right to this queue. */
  public boolean may(Right right, String queue) {
    for (Grant grant : grants) {
      if (grant.right() == right && queue.startsWith(grant.prefix())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the caller has the right to any queue. */
  public boolean mayAnywhere(Right right) {
    return !prefixes(right).isEmpty();
  }

  /** Returns the prefixes of the queues to which the caller has the right, sorted. */
  public List<String> prefixes(Right right) {
    return grants.stream().filter(g -> g.right() == right).map(Grant::prefix).sorted().toList();
  }
}
