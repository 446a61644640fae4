package io.punctual;

import io.punctual.internal.message.Checks;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects a page of queues by their names: {@link Punctual#queues(QueueQuery)}. Immutable.
 *
 * @param prefix the start of the names; empty for all queues
 * @param after the {@link Page#next} of the page before; empty for the first page
 * @param limit the largest number of queues in the page, 1 to 1000
 */
public record QueueQuery(String prefix, Optional<String> after, int limit) {
  /**
   * Creates a query.
   *
   * @throws IllegalArgumentException if the limit is out of range, or the prefix or the cursor has
   *     characters that names of queues don't have
   */
  public QueueQuery {
    if (!Objects.requireNonNull(prefix, "prefix").isEmpty()) {
      Checks.queueName(prefix);
    }
    after.ifPresent(Checks::queueName);
    Checks.page(limit);
  }

  /** Returns a query for the first 100 queues whose names begin with a prefix. */
  public static QueueQuery of(String prefix) {
    return new QueueQuery(prefix, Optional.empty(), 100);
  }

  /** Returns this query for the page after a cursor, the {@link Page#next} of the page before. */
  public QueueQuery after(String cursor) {
    return new QueueQuery(prefix, Optional.of(cursor), limit);
  }

  /** Returns this query with a largest number of queues in a page. */
  public QueueQuery limit(int most) {
    return new QueueQuery(prefix, after, most);
  }
}
