package io.punctual.jdbc.partition;

import io.punctual.embedded.Place;

/**
 * The earliest times of changed messages, in milliseconds from 1970; {@link Long#MAX_VALUE} if
 * there is none.
 *
 * @param waitingMillis the earliest due time of a waiting message
 * @param leasedMillis the earliest end of a lease
 */
record Earliest(long waitingMillis, long leasedMillis) {
  static final Earliest NONE = new Earliest(Long.MAX_VALUE, Long.MAX_VALUE);

  /** The times of messages that are not known. */
  static final Earliest UNKNOWN = new Earliest(Long.MIN_VALUE, Long.MIN_VALUE);

  static Earliest waiting(long millis) {
    return new Earliest(millis, Long.MAX_VALUE);
  }

  /** Returns the time of a row, if claims can take its message. */
  static Earliest of(Row row) {
    return new Earliest(
        row.place == Place.WAITING ? row.time : Long.MAX_VALUE,
        row.place == Place.LEASED ? row.time : Long.MAX_VALUE);
  }

  Earliest min(Earliest other) {
    return new Earliest(
        Math.min(waitingMillis, other.waitingMillis), Math.min(leasedMillis, other.leasedMillis));
  }

  /** Returns the earliest time at which a message can be claimed. */
  long millis() {
    return Math.min(waitingMillis, leasedMillis);
  }
}
