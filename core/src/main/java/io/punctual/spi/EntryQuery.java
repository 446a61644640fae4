package io.punctual.spi;

import io.punctual.State;

/**
 * Selects the messages of a listing of a partition.
 *
 * @param state the state of the messages
 * @param withReady whether a listing of {@link State#SCHEDULED} messages has the {@link
 *     State#READY} messages as well, so that it has all waiting messages in the order of their due
 *     times
 * @param range the range of the times that order the listing; a partition that keeps its messages
 *     in this order reads only the messages in the range
 * @param newestFirst whether the listing begins with the latest time
 * @param withContents whether the entries have their contents. Without contents, a partition
 *     answers faster, because it neither reads nor sends them.
 */
public record EntryQuery(
    State state, boolean withReady, TimeRange range, boolean newestFirst, boolean withContents) {
  /** Creates a query for the messages in one state. */
  public EntryQuery(State state, TimeRange range, boolean newestFirst, boolean withContents) {
    this(state, false, range, newestFirst, withContents);
  }

  /** Returns this query with another range. */
  public EntryQuery withRange(TimeRange other) {
    return new EntryQuery(state, withReady, other, newestFirst, withContents);
  }

  /**
   * Returns the first time of the listing.
   *
   * @param nowMillis the store's clock, in milliseconds from 1970
   */
  public long firstMillis(long nowMillis) {
    boolean isLater = state == State.FINISHED || (state == State.SCHEDULED && !withReady);
    return Math.max(range.fromMillis(), isLater ? nowMillis + 1 : Long.MIN_VALUE);
  }

  /**
   * Returns the last time of the listing.
   *
   * @param nowMillis the store's clock, in milliseconds from 1970
   */
  public long lastMillis(long nowMillis) {
    return Math.min(range.lastMillis(), state == State.READY ? nowMillis : Long.MAX_VALUE);
  }

  /** Returns the time that orders the listing, of an entry of this listing. */
  public long time(Entry entry) {
    return switch (state) {
      case SCHEDULED, READY, FINISHED -> entry.dueMillis();
      case LEASED -> entry.leasedUntilMillis();
      case DEAD -> entry.diedAtMillis();
    };
  }
}
