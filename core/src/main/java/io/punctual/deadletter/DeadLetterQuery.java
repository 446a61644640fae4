package io.punctual.deadletter;

import io.punctual.Page;
import io.punctual.internal.message.Checks;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects a page of dead letters: {@link DeadLetters#list}. Immutable.
 *
 * @param filter the dead letters of the listing, without a limit
 * @param after the {@link Page#next} of the page before; empty for the first page
 * @param limit the largest number of dead letters in the page, 1 to 1000
 * @param isNewestFirst whether the listing begins with the latest death, and lists the dead letters
 *     of all partitions together
 */
public record DeadLetterQuery(
    DeadLetterFilter filter, Optional<String> after, int limit, boolean isNewestFirst) {
  /**
   * Creates a query.
   *
   * @throws IllegalArgumentException if the limit is out of range, or the filter has a limit
   */
  public DeadLetterQuery {
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(after, "after");
    Checks.page(limit);
    if (filter.limit() != DeadLetterFilter.ALL.limit()) {
      throw new IllegalArgumentException(
          "A query has a limit of its own; leave the filter's limit out, and set the query's");
    }
  }

  /** Returns a query for the first 100 dead letters. */
  public static DeadLetterQuery all() {
    return of(DeadLetterFilter.ALL);
  }

  /** Returns a query for the first 100 dead letters that match a filter. */
  public static DeadLetterQuery of(DeadLetterFilter filter) {
    return new DeadLetterQuery(filter, Optional.empty(), 100, false);
  }

  /** Returns this query for the page after a cursor, the {@link Page#next} of the page before. */
  public DeadLetterQuery after(String cursor) {
    return new DeadLetterQuery(filter, Optional.of(cursor), limit, isNewestFirst);
  }

  /** Returns this query with a largest number of dead letters in a page. */
  public DeadLetterQuery limit(int most) {
    return new DeadLetterQuery(filter, after, most, isNewestFirst);
  }

  /**
   * Returns this query with the latest death first, in one order for all partitions. A cursor is
   * valid for one direction only.
   */
  public DeadLetterQuery newestFirst() {
    return new DeadLetterQuery(filter, after, limit, true);
  }
}
