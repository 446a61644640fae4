package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects the messages of a listing: {@link TimedQueue#browse(MessageQuery)} and {@link
 * TimedQueue#stream}. A range selects by the time that orders the listing: the due time of waiting
 * messages, the end of the lease of leased messages, the time of death of dead letters, and the
 * time at which the store forgets a finished id. A store that keeps messages in this order reads
 * only the messages in the range. Immutable.
 *
 * @param state the state of the messages
 * @param from the start of the range, inclusive; empty for a range without a start
 * @param to the end of the range, exclusive; empty for a range without an end
 * @param after the {@link Page#next} of the page before; empty for the first page
 * @param limit the largest number of messages in a page, 1 to 1000
 * @param hasPayloads whether the listing has payloads and headers; without them, a page is read
 *     faster
 * @param isNewestFirst whether the listing begins with the latest time, and lists the messages of
 *     all partitions together
 */
public record MessageQuery(
    State state,
    Optional<Instant> from,
    Optional<Instant> to,
    Optional<String> after,
    int limit,
    boolean hasPayloads,
    boolean isNewestFirst) {
  /**
   * Creates a query.
   *
   * @throws IllegalArgumentException if a time is {@link Limits#DAYS} or more from 1970, or the
   *     limit is out of range
   */
  public MessageQuery {
    Objects.requireNonNull(state, "state");
    long unusedFrom = from.map(DueTime::instantMillis).orElse(0L);
    long unusedTo = to.map(DueTime::instantMillis).orElse(0L);
    Objects.requireNonNull(after, "after");
    Checks.page(limit);
  }

  /** Returns a query for the first 100 messages in a state, with payloads. */
  public static MessageQuery of(State state) {
    return new MessageQuery(
        state, Optional.empty(), Optional.empty(), Optional.empty(), 100, true, false);
  }

  /** Returns this query with a start of the range, inclusive, which replaces the present start. */
  public MessageQuery from(Instant time) {
    return new MessageQuery(state, Optional.of(time), to, after, limit, hasPayloads, isNewestFirst);
  }

  /** Returns this query with an end of the range, exclusive, which replaces the present end. */
  public MessageQuery to(Instant time) {
    return new MessageQuery(
        state, from, Optional.of(time), after, limit, hasPayloads, isNewestFirst);
  }

  /**
   * Returns this query for the page after a cursor: the {@link Page#next} of a page of the same
   * query.
   */
  public MessageQuery after(String cursor) {
    return new MessageQuery(
        state, from, to, Optional.of(cursor), limit, hasPayloads, isNewestFirst);
  }

  /** Returns this query with a largest number of messages in a page. */
  public MessageQuery limit(int most) {
    return new MessageQuery(state, from, to, after, most, hasPayloads, isNewestFirst);
  }

  /** Returns this query without payloads and headers. */
  public MessageQuery withoutPayloads() {
    return new MessageQuery(state, from, to, after, limit, false, isNewestFirst);
  }

  /**
   * Returns this query with the newest message first: the waiting message that is due last, the
   * lease that ends last, the latest death, the id that the store forgets last. The listing has the
   * messages of all partitions in one order. A page may have fewer messages than its limit,
   * although there are further pages. A cursor is valid for one direction only.
   */
  public MessageQuery newestFirst() {
    return new MessageQuery(state, from, to, after, limit, hasPayloads, true);
  }
}
