package io.punctual.http.access;

import java.util.Objects;

/**
 * A right to the queues whose names begin with a prefix.
 *
 * @param right the right
 * @param prefix the prefix; empty for all queues
 */
public record Grant(Right right, String prefix) {
  /** Creates a grant. */
  public Grant {
    Objects.requireNonNull(right, "right");
    Objects.requireNonNull(prefix, "prefix");
  }
}
