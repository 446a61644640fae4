package io.punctual.kit.history;

import io.punctual.State;
import org.jspecify.annotations.Nullable;

/**
 * A possible state of an id, according to a history. Immutable.
 *
 * @param place the message's state, or the reason for its absence
 * @param dueMillis the due time, the time at which a FINISHED id is forgotten, or {@link #UNKNOWN}
 * @param attempts the number of attempts that count
 * @param token the highest token seen; the lease's token while the message is LEASED
 * @param leasedUntilMillis the end of the lease, or {@link #UNKNOWN}
 * @param marked whether the leased message was cancelled and will not be delivered again
 * @param beforeClaim the state to which a crash of the store may have returned the message, or null
 *     if no crash can have lost the claim
 */
record IdState(
    Place place,
    long dueMillis,
    int attempts,
    long token,
    long leasedUntilMillis,
    boolean marked,
    @Nullable IdState beforeClaim) {
  static final long UNKNOWN = HistoryEvent.NO_TIME;
  static final IdState NEVER = new IdState(Place.NEVER, UNKNOWN, 0, 0, UNKNOWN, false);

  IdState(
      Place place,
      long dueMillis,
      int attempts,
      long token,
      long leasedUntilMillis,
      boolean marked) {
    this(place, dueMillis, attempts, token, leasedUntilMillis, marked, null);
  }

  /** The state of a message, or the reason for its absence. */
  enum Place {
    NEVER,
    ACKED,
    /** Cancelled, purged, or deleted. */
    REMOVED,
    /** The message is gone without a reason, which is a breach. */
    VANISHED,
    WAITING,
    LEASED,
    /** Leased by a claim whose answer was lost. */
    LEASED_UNSEEN,
    DEAD,
    /** Acked, and the id is remembered until the due time. Histories end before this time. */
    FINISHED
  }

  boolean isPresent() {
    return isWaiting() || isLeased() || place == Place.DEAD || place == Place.FINISHED;
  }

  boolean isWaiting() {
    return place == Place.WAITING;
  }

  boolean isLeased() {
    return place == Place.LEASED || place == Place.LEASED_UNSEEN;
  }

  boolean isLeasedUnder(long settlingToken) {
    return place == Place.LEASED && token == settlingToken;
  }

  boolean isDueAt(long engineMicros) {
    return dueMillis == UNKNOWN
        || engineMicros == UNKNOWN
        || Math.floorDiv(engineMicros, 1000) >= dueMillis;
  }

  boolean mayHaveRunOutAt(long engineMicros) {
    return leasedUntilMillis == UNKNOWN
        || engineMicros == UNKNOWN
        || Math.floorDiv(engineMicros, 1000) >= leasedUntilMillis;
  }

  /**
   * Returns whether a look-up may report this state for the id; null means that the look-up found
   * no message.
   */
  boolean looksLike(@Nullable State state) {
    if (state == null) {
      return !isPresent();
    }
    return switch (state) {
      case SCHEDULED, READY -> isWaiting();
      case LEASED -> isLeased();
      case DEAD -> place == Place.DEAD;
      case FINISHED -> place == Place.FINISHED;
    };
  }

  IdState waiting(long due, int attemptsThen) {
    return new IdState(Place.WAITING, due, attemptsThen, token, UNKNOWN, false);
  }

  IdState leased(long newToken, long due, int attempt, long until) {
    return new IdState(Place.LEASED, due, attempt, newToken, until, false);
  }

  IdState leasedUnseen() {
    return new IdState(
        Place.LEASED_UNSEEN, dueMillis, attempts + 1, token, leasedUntilMillis, false);
  }

  /** Returns this leased state with the state that a crash may have restored. */
  IdState losableTo(IdState before) {
    return new IdState(place, dueMillis, attempts, token, leasedUntilMillis, marked, before);
  }

  IdState extended(long until) {
    return new IdState(place, dueMillis, attempts, token, until, marked);
  }

  IdState withMark() {
    return new IdState(place, dueMillis, attempts, token, leasedUntilMillis, true);
  }

  IdState withDue(long due) {
    return new IdState(place, due, attempts, token, leasedUntilMillis, marked);
  }

  IdState dead() {
    return new IdState(Place.DEAD, dueMillis, attempts, token, UNKNOWN, false);
  }

  IdState done(long until) {
    return new IdState(Place.FINISHED, until, 0, token, UNKNOWN, false);
  }

  IdState gone(Place why) {
    return new IdState(why, UNKNOWN, 0, token, UNKNOWN, false);
  }
}
